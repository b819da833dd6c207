/** Entry point of the page in a frame. Opened as a tab, it redirects to the full interface. */

import { Embedded } from "./embedded";

const root = document.getElementById("embedded");
if (window.parent === window) location.replace(`../${location.hash || "#/ask"}`);
else if (root) new Embedded(root).listen();
