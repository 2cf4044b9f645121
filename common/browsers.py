"""What a browser calls itself, in two words a person recognises."""

from django.utils.translation import gettext as _

# The more particular name first: every Edge also says Chrome, and every Chrome also says Safari.
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser(agent: str) -> str:
    """`Firefox on Linux`, or the start of what it said."""
    name = next((word for sign, word in BROWSERS if sign in agent), None)
    system = next((word for sign, word in SYSTEMS if sign in agent), None)
    if name and system:
        return _("%(browser)s on %(system)s") % {"browser": name, "system": system}
    return agent[:60] or _("a program without a name")
