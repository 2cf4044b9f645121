"""What the preflight finds in a project folder, and how to fix it."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Finding(NamedTuple):
    sentence: Text
    fix: Text


FINDINGS: dict[str, Finding] = {
    "config_missing": Finding(
        _("config/pilote.json cannot be read."),
        _("Add config/pilote.json to the folder; the example projects have one to start from."),
    ),
    "config_too_large": Finding(
        _("config/pilote.json is far too large."),
        _("Keep only the configuration in it; inputs and data belong in data/."),
    ),
    "config_not_utf8": Finding(
        _("config/pilote.json is not UTF-8 text."),
        _("Save the file again as UTF-8."),
    ),
    "config_not_json": Finding(
        _("config/pilote.json is not valid JSON."),
        _("Correct the line that is named; JSON knows no comments and no comma before a closing bracket."),
    ),
    "config_repeated_key": Finding(
        _("A key is written twice in config/pilote.json."),
        _("Keep one of the two."),
    ),
    "config_unknown_key": Finding(
        _("config/pilote.json has a key that nobody reads."),
        _("Correct its spelling or take it away."),
    ),
    "config_missing_key": Finding(
        _("A key is missing in config/pilote.json."),
        _("Add it."),
    ),
    "config_type": Finding(
        _("A value in config/pilote.json is of another kind than it must be."),
        _("Write it as the kind that is named."),
    ),
    "config_choice": Finding(
        _("A value in config/pilote.json is not among the ones there are."),
        _("Choose one of those that are named."),
    ),
    "config_pattern": Finding(
        _("A value in config/pilote.json does not have its form."),
        _("Write it in the form that is named."),
    ),
    "config_repeated": Finding(
        _("A value occurs twice in a list of config/pilote.json."),
        _("Keep one of the two."),
    ),
    "config_value": Finding(
        _("A value in config/pilote.json cannot be used."),
        _("Correct it as the message says."),
    ),
    "config_placeholder": Finding(
        _("The command has a placeholder that nobody fills in."),
        _("Use {inputs}, {output}, {params}, {remaining}, {checkpoint} or {until_step}."),
    ),
    "config_path": Finding(
        _("A path in config/pilote.json leaves the project folder."),
        _("Use a path inside the folder, without a leading slash and without “..”."),
    ),
    "config_resume": Finding(
        _("The resume test cannot be carried out as it is written."),
        _("Correct it as the message says, or set “resume” to null."),
    ),
    "inputs_missing": Finding(
        _("The declared inputs are not in the folder."),
        _("Put them where “inputs” says, by default data/pilote."),
    ),
    "inputs_empty": Finding(
        _("No input is declared."),
        _("Put at least one file into the folder of the inputs."),
    ),
    "inputs_link": Finding(
        _("An input is a link."),
        _("Put the file itself in its place."),
    ),
    "inputs_mixed": Finding(
        _("items.jsonl stands beside other inputs."),
        _("Use either one items.jsonl or one file per item."),
    ),
    "items_line": Finding(
        _("A line of items.jsonl cannot be read."),
        _("Write one JSON object a line, each with a text “id”."),
    ),
    "id_unusable": Finding(
        _("An id cannot be used."),
        _("Use an id of 1 to 200 visible characters."),
    ),
    "id_repeated": Finding(
        _("An id is declared twice."),
        _("Give each input its own id; a file's id is its name without the ending."),
    ),
    "items_differ": Finding(
        _("The number of inputs is not the one that the criteria fix."),
        _("Correct “items” in the criteria, or the inputs."),
    ),
    "must_refuse_unknown": Finding(
        _("A case that must be refused is not among the inputs."),
        _("Correct the id under “must_refuse”, or add the input."),
    ),
    "input_empty": Finding(
        _("An input is empty."),
        _("Nothing to do if it is there on purpose: declare it under “must_refuse”."),
    ),
    "expected_not_json": Finding(
        _("config/expected.json is not valid JSON."),
        _("Correct it: an object of id and category."),
    ),
    "expected_not_object": Finding(
        _("config/expected.json is not an object."),
        _("Write an object of id and category."),
    ),
    "expected_category": Finding(
        _("An expected answer is not among the categories."),
        _("Correct the answer, or add the category to the criteria."),
    ),
    "expected_refused": Finding(
        _("An id must be refused and has an expected category as well."),
        _("Keep one of the two."),
    ),
    "expected_unknown": Finding(
        _("An expected answer is for an id that is no input."),
        _("Correct the id in config/expected.json."),
    ),
    "expected_missing": Finding(
        _("Agreement is a criterion and there are no expected answers."),
        _("Add config/expected.json, or take “min_agreement” away."),
    ),
    "revision_missing": Finding(
        _("The program's revision is not given."),
        _("Add “revision”, for example the commit it was built from."),
    ),
    "references_missing": Finding(
        _("No reference of a model or of data is given."),
        _("Name what the results depend on under “references”."),
    ),
    "reference_without_hash": Finding(
        _("A reference cannot be told from another version."),
        _("Add its sha256."),
    ),
    "remaining_unused": Finding(
        _("A resumed run would process every item again."),
        _("Let the command take {remaining}, a file of the ids still to do."),
    ),
    "output_unused": Finding(
        _("The program is not told where to write."),
        _("Give {output} in the command."),
    ),
    "unreadable": Finding(
        _("A file or folder cannot be read."),
        _("Give it ordinary permissions and pack the folder again."),
    ),
    "link": Finding(
        _("A link may point to what exists only on your machine."),
        _("Put the file itself in its place."),
    ),
    "device": Finding(
        _("Something is neither a file nor a folder."),
        _("Take it out of the folder."),
    ),
    "notebook_checkpoint": Finding(
        _("A notebook's checkpoint folder is left out."),
        _("Take .ipynb_checkpoints away before you pack the folder."),
    ),
    "git_folder": Finding(
        _("The version control's folder is left out."),
        _("Nothing to do if “revision” names the commit."),
    ),
    "left_out": Finding(
        _("A folder that is rebuilt on the other machine is left out."),
        _("Nothing to do."),
    ),
    "readme_missing": Finding(
        _("There is no README."),
        _("Add a README.md that says how to install, launch and check."),
    ),
    "readme_install": Finding(
        _("The README does not say how to install."),
        _("Add a short section on installing."),
    ),
    "readme_launch": Finding(
        _("The README does not say how to launch."),
        _("Add the command that starts it."),
    ),
    "readme_check": Finding(
        _("The README does not say how to check the result."),
        _("Add what a right result looks like."),
    ),
    "src_missing": Finding(
        _("There is no program in src/."),
        _("Put the program into src/."),
    ),
    "runs_not_empty": Finding(
        _("runs/ holds results of earlier runs."),
        _("Empty runs/: every try starts in a new folder."),
    ),
    "secret_file": Finding(
        _("A file holds secrets by its name."),
        _("Take it out; give the program nothing that it could give away."),
    ),
    "secret": Finding(
        _("There is a secret in a file."),
        _("Take it out, and revoke it: it has been in an archive."),
    ),
    "notebook": Finding(
        _("A notebook does not run by itself."),
        _("Nothing to do if the command starts a program."),
    ),
    "pickle": Finding(
        _("A pickle can run commands when it is loaded."),
        _("Prefer safetensors or JSON."),
    ),
    "pointer": Finding(
        _("A file only points to one that exists elsewhere."),
        _("Fetch the real file (git lfs pull) and pack the folder again."),
    ),
    "home_path": Finding(
        _("A path leads into a home folder."),
        _("Use a path relative to the project folder."),
    ),
    "absolute_path": Finding(
        _("An absolute path may not exist on another machine."),
        _("Use a path relative to the project folder."),
    ),
    "path_outside": Finding(
        _("The command leaves the project folder."),
        _("Use paths inside the folder."),
    ),
    "requirements_missing": Finding(
        _("There is no list of pinned packages."),
        _("Add requirements-rebuild.txt; an empty one says that none is needed."),
    ),
    "requirement_unpinned": Finding(
        _("A package has no exact version."),
        _("Pin it: name==version."),
    ),
    "requirement_elsewhere": Finding(
        _("A package comes from a file or an address that may not be there."),
        _("List each package with its version from an index."),
    ),
    "requirement_links": Finding(
        _("Packages come from a page of links."),
        _("Use a package index."),
    ),
    "requirements_provenance": Finding(
        _("Nothing says where the packages come from."),
        _("Add a comment, an index or hashes."),
    ),
    "program_missing": Finding(
        _("The command names a file that is not in the folder."),
        _("Correct the command, or add the file."),
    ),
    "program_syntax": Finding(
        _("A source file is not Python that can be read."),
        _("Correct the line that is named."),
    ),
    "file_elsewhere": Finding(
        _("A file is named that is not in the folder."),
        _("Add it, or take its name away."),
    ),
    "backend_differs": Finding(
        _("The packages point to another backend than the configuration."),
        _("Make “backend” and the packages agree."),
    ),
    "backend_unsaid": Finding(
        _("The packages point to one backend, and the configuration leaves it open."),
        _("Say “cuda” or “rocm” with “backend”."),
    ),
    "import_undeclared": Finding(
        _("A module is imported that no pinned package brings."),
        _("Add its package to requirements-rebuild.txt."),
    ),
    "name_control": Finding(
        _("A file's name holds a control or direction character."),
        _("Rename the file."),
    ),
    "name_reserved": Finding(
        _("A file's name cannot be used on every system."),
        _("Rename the file."),
    ),
    "name_too_long": Finding(
        _("A file's path is too long or too deep."),
        _("Shorten it."),
    ),
    "name_not_unicode": Finding(
        _("A file's name is not UTF-8 text."),
        _("Rename the file."),
    ),
    "backslash": Finding(
        _("A file's name holds a backslash."),
        _("Rename the file."),
    ),
    "parent_path": Finding(
        _("A file's path climbs out of the folder."),
        _("Rename the file."),
    ),
}

# level → (shape, word)
LEVELS: dict[str, tuple[str, Text]] = {
    "error": ("stopped", _("must be fixed")),
    "warning": ("seen", _("look at it")),
    "note": ("told", _("to know")),
}


def finding(code: str, message: str = "") -> Finding:
    return FINDINGS.get(code) or Finding(message or code, "")


def level(code: str) -> tuple[str, Text]:
    return LEVELS.get(code, ("told", code))
