"""The ledger's rules, kept by the database itself: append-only, Σ = 0, a balance that only postings move."""

from django.db import migrations


POSTGRESQL = """
CREATE FUNCTION billing_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger: rows of % are added, never changed', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER posting_append_only BEFORE UPDATE OR DELETE ON billing_posting
    FOR EACH ROW EXECUTE FUNCTION billing_append_only();
CREATE TRIGGER posting_no_truncate BEFORE TRUNCATE ON billing_posting
    FOR EACH STATEMENT EXECUTE FUNCTION billing_append_only();
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON billing_journal
    FOR EACH ROW EXECUTE FUNCTION billing_append_only();
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON billing_journal
    FOR EACH STATEMENT EXECUTE FUNCTION billing_append_only();
CREATE TRIGGER account_no_delete BEFORE DELETE ON billing_account
    FOR EACH ROW EXECUTE FUNCTION billing_append_only();
CREATE TRIGGER account_no_truncate BEFORE TRUNCATE ON billing_account
    FOR EACH STATEMENT EXECUTE FUNCTION billing_append_only();

-- A posting moves its customer's balance by compare-and-set; the check on the account refuses a negative one.
CREATE FUNCTION billing_posting_moves_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    account_kind text;
BEGIN
    IF EXISTS (SELECT 1 FROM billing_journal WHERE id = NEW.journal_id) THEN
        RAISE EXCEPTION 'ledger: journal % is closed', NEW.journal_id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    SELECT kind INTO account_kind FROM billing_account WHERE id = NEW.account_id;
    IF account_kind IS DISTINCT FROM 'customer' THEN
        IF NEW.balance_after_cents IS NOT NULL THEN
            RAISE EXCEPTION 'ledger: a house account keeps no balance' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NULL;
    END IF;
    UPDATE billing_account SET balance_cents = NEW.balance_after_cents
        WHERE id = NEW.account_id AND balance_cents + NEW.cents = NEW.balance_after_cents;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'ledger: the balance after this posting is wrong' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER posting_moves_balance AFTER INSERT ON billing_posting
    FOR EACH ROW EXECUTE FUNCTION billing_posting_moves_balance();

-- Only a posting may move a balance, and nothing else of an account ever changes.
CREATE FUNCTION billing_account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.balance_cents <> 0 THEN
            RAISE EXCEPTION 'ledger: an account begins at zero' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF ROW (NEW.id, NEW.code, NEW.kind, NEW.customer_id) IS DISTINCT FROM ROW (OLD.id, OLD.code, OLD.kind, OLD.customer_id)
       OR NEW.balance_cents IS DISTINCT FROM (
           SELECT balance_after_cents FROM billing_posting WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
    THEN
        RAISE EXCEPTION 'ledger: a balance is moved by postings only' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER account_guard BEFORE INSERT OR UPDATE ON billing_account
    FOR EACH ROW EXECUTE FUNCTION billing_account_guard();

-- At the end of the transaction every journal touched has all its lines, and they sum to zero.
CREATE FUNCTION billing_journal_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched uuid;
    wanted integer;
    found_lines bigint;
    total numeric;
BEGIN
    IF TG_TABLE_NAME = 'billing_journal' THEN
        touched := NEW.id;
    ELSE
        touched := NEW.journal_id;
    END IF;
    SELECT lines INTO wanted FROM billing_journal WHERE id = touched;
    SELECT count(*), coalesce(sum(cents), 0) INTO found_lines, total FROM billing_posting WHERE journal_id = touched;
    IF wanted IS NULL OR found_lines <> wanted OR total <> 0 THEN
        RAISE EXCEPTION 'ledger: journal % has % of % lines and sums to %', touched, found_lines, wanted, total
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER posting_journal_balanced AFTER INSERT ON billing_posting
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION billing_journal_balanced();
CREATE CONSTRAINT TRIGGER journal_balanced AFTER INSERT ON billing_journal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION billing_journal_balanced();
"""

# SQLite has no deferred trigger. It needs none: postings come before their journal (the foreign key is deferred),
# the journal's own insert checks them, and a closed journal takes no more.
SQLITE = [
    """CREATE TRIGGER posting_no_update BEFORE UPDATE ON billing_posting
    BEGIN SELECT RAISE(ABORT, 'ledger: postings are added, never changed'); END""",
    """CREATE TRIGGER posting_no_delete BEFORE DELETE ON billing_posting
    BEGIN SELECT RAISE(ABORT, 'ledger: postings are added, never changed'); END""",
    """CREATE TRIGGER journal_no_update BEFORE UPDATE ON billing_journal
    BEGIN SELECT RAISE(ABORT, 'ledger: journals are added, never changed'); END""",
    """CREATE TRIGGER journal_no_delete BEFORE DELETE ON billing_journal
    BEGIN SELECT RAISE(ABORT, 'ledger: journals are added, never changed'); END""",
    """CREATE TRIGGER account_no_delete BEFORE DELETE ON billing_account
    BEGIN SELECT RAISE(ABORT, 'ledger: accounts are never deleted'); END""",
    """CREATE TRIGGER posting_into_closed_journal BEFORE INSERT ON billing_posting
    WHEN EXISTS (SELECT 1 FROM billing_journal WHERE id = NEW.journal_id)
    BEGIN SELECT RAISE(ABORT, 'ledger: the journal is closed'); END""",
    """CREATE TRIGGER posting_balance_right BEFORE INSERT ON billing_posting
    WHEN NEW.balance_after_cents IS NOT (
        SELECT balance_cents + NEW.cents FROM billing_account WHERE id = NEW.account_id AND kind = 'customer')
    BEGIN SELECT RAISE(ABORT, 'ledger: the balance after this posting is wrong'); END""",
    """CREATE TRIGGER posting_moves_balance AFTER INSERT ON billing_posting
    WHEN NEW.balance_after_cents IS NOT NULL
    BEGIN UPDATE billing_account SET balance_cents = NEW.balance_after_cents WHERE id = NEW.account_id; END""",
    """CREATE TRIGGER account_begins_at_zero BEFORE INSERT ON billing_account
    WHEN NEW.balance_cents <> 0
    BEGIN SELECT RAISE(ABORT, 'ledger: an account begins at zero'); END""",
    """CREATE TRIGGER account_guard BEFORE UPDATE ON billing_account
    WHEN NEW.id IS NOT OLD.id OR NEW.code IS NOT OLD.code OR NEW.kind IS NOT OLD.kind
        OR NEW.customer_id IS NOT OLD.customer_id
        OR NEW.balance_cents IS NOT (
            SELECT balance_after_cents FROM billing_posting WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'ledger: a balance is moved by postings only'); END""",
    """CREATE TRIGGER journal_balanced BEFORE INSERT ON billing_journal
    WHEN (SELECT count(*) FROM billing_posting WHERE journal_id = NEW.id) <> NEW.lines
        OR (SELECT coalesce(sum(cents), 0) FROM billing_posting WHERE journal_id = NEW.id) <> 0
    BEGIN SELECT RAISE(ABORT, 'ledger: the journal does not sum to zero over all its lines'); END""",
]


def install(apps, schema_editor):
    statements = [POSTGRESQL] if schema_editor.connection.vendor == "postgresql" else SQLITE
    for statement in statements:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    dependencies = [("billing", "0001_initial")]

    operations = [migrations.RunPython(install, elidable=False)]
