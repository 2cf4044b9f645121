# One image for the site's processes (web, dispatch, sweep); `--target host` is the GPU host's, without Django.
FROM python:3.11-slim-bookworm AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN useradd --system --create-home --uid 10001 kernodeck
WORKDIR /app

FROM base AS host
# bubblewrap lets a customer's program see nothing of the agent.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
COPY lock/host.txt lock/host.txt
RUN pip install --require-hashes -r lock/host.txt
COPY pilots/__init__.py pilots/__init__.py
COPY pilots/spec pilots/spec
COPY pilots/host pilots/host
ENV PYTHONPATH=/app
RUN mkdir /state && chown kernodeck:kernodeck /state
USER kernodeck
VOLUME /state
# TERM is a warm stop: the run in hand goes on under its supervisor.
STOPSIGNAL SIGTERM
ENTRYPOINT ["python", "-m", "pilots.host.cli"]
CMD ["host", "start", "--state", "/state"]

FROM base AS site
COPY lock/run.txt lock/run.txt
RUN pip install --require-hashes -r lock/run.txt
COPY . .
ENV PYTHONPATH=/app KERNODECK_MODE=production DATA_DIR=/data STATIC_ROOT=/app/staticfiles
# Collected and compiled while the image is made; the values here are placeholders that no process is started with.
RUN KERNODECK_MODE=embedded DATA_DIR=/tmp/build python manage.py messages --compile \
    && KERNODECK_MODE=embedded DATA_DIR=/tmp/build python manage.py collectstatic --noinput --verbosity 0 \
    && mkdir /data && chown kernodeck:kernodeck /data
USER kernodeck
VOLUME /data
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "rental.wsgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--workers", "2", "--blocking-threads", "16", "--respawn-failed-workers", "--no-access-log"]
