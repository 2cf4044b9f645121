"""The tables of the rental room."""

from rental.models.access import Access, AccessReveal, CardProof, OrderHost
from rental.models.care import Downtime, FaultReport, SshKey, Wipe
from rental.models.catalogue import Backend, Card, Preparation, Price, Quote, StockChange
from rental.models.desk import Approval, OperatorAct, ProofRecord
from rental.models.letter import Letter
from rental.models.order import Extension, MoveCode, Order, OrderMove
from rental.models.proof import PreparationProof
from rental.models.user import User
from rental.models.waiting import Waiting

__all__ = [
    "Access",
    "AccessReveal",
    "Approval",
    "Backend",
    "Card",
    "CardProof",
    "Downtime",
    "Extension",
    "FaultReport",
    "Letter",
    "MoveCode",
    "OperatorAct",
    "Order",
    "OrderHost",
    "OrderMove",
    "Preparation",
    "PreparationProof",
    "Price",
    "ProofRecord",
    "Quote",
    "SshKey",
    "StockChange",
    "User",
    "Waiting",
    "Wipe",
]
