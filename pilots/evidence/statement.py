"""The in-toto test-result statement over the bag's tag manifest, in a DSSE envelope."""

import base64
import json
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pilots.evidence.keys import key_id
from pilots.models import Run

TAG_MANIFEST: Final = "tagmanifest-sha256.txt"
STATEMENT: Final = "statement.dsse.json"
PUBLIC_KEY: Final = "public-key.pem"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_RESULT: Final = {"met": "passedTests", "missed": "failedTests", "not_measured": "warnedTests"}


def statement(run: Run, tag_manifest_sha256: str) -> dict[str, Any]:
    """What the site says of the run: the criteria by name, and one result that is never better than they are."""
    tests: dict[str, list[str]] = {"passedTests": [], "warnedTests": [], "failedTests": []}
    for verdict in run.verdicts or []:
        tests[_RESULT[verdict["verdict"]]].append(verdict["code"])
    if run.verification_error:
        tests["failedTests"].append(run.verification_error)
    failed = tests["failedTests"] or run.outcome != Run.Outcome.COMPLETED or not run.holds
    spec = run.pilot.spec
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": TAG_MANIFEST, "digest": {"sha256": tag_manifest_sha256}}],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "WARNED"
            if tests["warnedTests"] and not tests["failedTests"]
            else "FAILED"
            if failed
            else "PASSED",
            "configuration": [{"name": "data/spec.json", "digest": {"sha256": spec.sha256 if spec else ""}}],
            **tests,
        },
    }


def pae(kind: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what is really signed."""
    return b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)


def envelope(told: dict[str, Any], key: Ed25519PrivateKey) -> bytes:
    payload = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    signature = {
        "keyid": key_id(key.public_key()),
        "sig": base64.b64encode(key.sign(pae(PAYLOAD_TYPE, payload))).decode(),
    }
    sealed = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [signature],
    }
    return json.dumps(sealed, indent=1).encode() + b"\n"
