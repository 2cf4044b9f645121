"""The addresses of the rental room."""

from django.urls import path

from rental.views import catalogue, desk, desk_money, guide, health, orders, outbox, payment

urlpatterns = [
    path("", guide.home, name="home"),
    path("guide/", guide.guide, name="guide"),
    path("help/", guide.explain, {"topic": "help"}, name="help"),
    path("terms/", guide.explain, {"topic": "terms"}, name="terms"),
    path("keep/", guide.explain, {"topic": "keep"}, name="keep"),
    path("count/", guide.explain, {"topic": "count"}, name="count"),
    path("downloads/<str:name>", guide.download, name="download"),
    path("rent/", catalogue.rent, name="rent"),
    path("rent/check", catalogue.check, name="rent_check"),
    path("rent/check/<slug:quote_id>", catalogue.summary, name="rent_summary"),
    path("orders/", orders.orders, name="orders"),
    path("orders/<slug:code>", orders.order, name="order"),
    path("orders/<slug:code>/cancel", orders.cancel, name="order_cancel"),
    path("orders/<slug:code>/extend", orders.extend, name="order_extend"),
    path("orders/<slug:code>/access", orders.access, name="order_access"),
    path("orders/<slug:code>/pay", payment.pay, name="pay"),
    path("orders/<slug:code>/pay/balance", payment.from_balance, name="pay-from-balance"),
    path("orders/<slug:code>/pay/<slug:request_id>/paid", payment.paid, name="paid"),
    path("desk/", desk.queues, name="desk"),
    path("desk/orders/<slug:code>", desk.order, name="desk_order"),
    path("desk/orders/<slug:code>/prepare", desk.prepare, name="desk_prepare"),
    path("desk/orders/<slug:code>/refund", desk.refund, name="desk_refund"),
    path("desk/receipts/new", desk_money.new_receipt, name="desk_receipt_new"),
    path("desk/receipts/<int:number>", desk_money.receipt, name="desk_receipt"),
    path("desk/receipts/<int:number>/replaced", desk_money.replace, name="desk_receipt_replace"),
    path("desk/rates/<slug:asset>", desk_money.rate, name="desk_rate"),
    path("desk/adjust", desk_money.adjust, name="desk_adjust"),
    path("outbox/", outbox.outbox, name="outbox"),
    path("outbox/<int:number>", outbox.letter, name="outbox_letter"),
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
]
