// Passkeys: a form with data-passkey asks the browser for one and sends its answer in the field `credential`.
(() => {
  "use strict";
  const json = window.webauthnJSON;
  if (!json || !json.supported()) return;
  // Browsers refuse passkeys for an address that is no name: then the page says which name to use.
  const numbers = /^[\d.]+$|^\[/.test(location.hostname);

  async function options(form) {
    if (form.dataset.options) return JSON.parse(form.dataset.options);
    const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()).request_options;
  }

  async function ask(form) {
    const wanted = await options(form);
    if (form.dataset.passkey === "get") return json.get(wanted);
    // The passkey is kept by the device and checks its owner, so that it can sign in alone.
    Object.assign(wanted.publicKey.authenticatorSelection, {
      residentKey: "required", requireResidentKey: true, userVerification: "required",
    });
    return json.create(wanted);
  }

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const failed = form.querySelector("[data-passkey-failed]");
    if (numbers) {
      const note = form.querySelector("[data-passkey-place]");
      if (note) note.hidden = form.hidden = false;
      continue;
    }
    form.hidden = false;
    const button = form.querySelector("button[data-passkey-ask]");
    button.hidden = false;
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      button.disabled = true;
      failed.hidden = true;
      try {
        form.elements.credential.value = JSON.stringify(await ask(form));
        form.submit();
      } catch {
        failed.hidden = false;
        button.disabled = false;
        button.focus();
      }
    });
  }
})();
