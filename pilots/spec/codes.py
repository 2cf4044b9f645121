"""Every stable code that the spec can say of a project; the site has a sentence and a way to mend for each."""

from typing import Final

# Why an archive is not unpacked; the preflight says them with `archive_` before them.
ARCHIVE: Final = (
    "absolute_path", "backslash", "bomb", "checksum", "damaged", "device", "duplicate_by_case", "duplicate_name",
    "empty", "encrypted", "file_as_folder", "header_too_large", "link", "lying_name", "lying_size",
    "member_too_large", "name_control", "name_not_unicode", "name_reserved", "name_too_long", "not_an_archive",
    "overlap", "parent_path", "reader_failed", "sparse", "too_large", "too_many_members", "too_slow", "truncated",
    "unknown_compression", "unpacked_too_large",
)  # fmt: skip

# What the preflight finds, beside `archive_…`; of these, the rules for names are the archive's own.
PREFLIGHT: Final = (
    "absolute_path", "backend_differs", "backend_unsaid", "backslash", "config_", "config_choice", "config_missing",
    "config_missing_key", "config_not_json", "config_not_utf8", "config_path", "config_pattern",
    "config_placeholder", "config_repeated", "config_repeated_key", "config_resume", "config_too_large",
    "config_type", "config_unknown_key", "config_value", "device", "expected_category", "expected_missing",
    "expected_not_json", "expected_not_object", "expected_refused", "expected_unknown", "file_elsewhere",
    "git_folder", "home_path", "id_repeated", "id_unusable", "import_undeclared", "input_empty", "inputs_empty",
    "inputs_link", "inputs_missing", "inputs_mixed", "items_differ", "items_line", "left_out", "link",
    "must_refuse_unknown", "name_control", "name_not_unicode", "name_reserved", "name_too_long", "notebook",
    "notebook_checkpoint", "output_unused", "parent_path", "path_outside", "pickle", "pointer", "program_missing",
    "program_syntax", "readme_check", "readme_install", "readme_launch", "readme_missing", "reference_without_hash",
    "references_missing", "remaining_unused", "requirement_elsewhere", "requirement_links", "requirement_unpinned",
    "requirements_missing", "requirements_provenance", "revision_missing", "runs_not_empty", "secret", "secret_file",
    "src_missing", "unreadable",
)  # fmt: skip

FINDINGS: Final = (*PREFLIGHT, *(f"archive_{code}" for code in ARCHIVE))
