/** The start of the page in a frame; a tab of its own has the whole interface in its place. */

import { Embedded } from "./embedded";

const root = document.getElementById("embedded");
if (window.parent === window) location.replace(`../${location.hash || "#/ask"}`);
else if (root) new Embedded(root).listen();
