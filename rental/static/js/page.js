"use strict";
// Every page: move to the error summary of a failed form. All of it optional: the page is whole without it.
document.getElementById("errors")?.focus();
