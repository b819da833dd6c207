// Files that are no notes: a PDF is found at its page, and the model that reads the notes' language is offered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, search, usePages } from "./pages.mjs";

const PAGES = ["Bees gather nectar in early summer.", "The glockenspiel was tuned by a locksmith."];
const GERMAN = [
  "Der Garten muss im Herbst vor dem ersten Frost umgegraben werden, und die Rosen sind zu schneiden.",
  "Wir haben gestern mit den Nachbarn über den neuen Zaun gesprochen, der nicht sehr schön ist.",
  "Das Brot wird mit Sauerteig gebacken, und es ist nach zwei Tagen noch besser als am ersten.",
];

/** A PDF with a line of text on each page. */
function pdf(lines) {
  const kids = lines.map((_, at) => `${4 + 2 * at} 0 R`).join(" ");
  const parts = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  lines.forEach((line, at) => {
    const text = `BT /F 12 Tf 72 700 Td (${line}) Tj ET`;
    parts.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`);
    parts.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  });
  let body = "%PDF-1.4\n";
  const places = parts.map((part, at) => {
    const place = body.length;
    body += `${at + 1} 0 obj\n${part}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${parts.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return `${body}${table}trailer << /Size ${parts.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}

const { visit } = usePages({
  "paper.pdf": pdf(PAGES),
  "Reading.md": "# Reading\n\nTo read this week: ![[paper.pdf]]\n\nAbove all ![[paper.pdf#page=2|its end]] and ![[paper.pdf#page=9]]\n",
  ...Object.fromEntries(GERMAN.map((text, at) => [`Notiz ${at}.md`, `${text}\n`])),
});

test("a PDF is found with its page and the note that embeds it, and opens in Obsidian there", () =>
  visit({ ...DESKTOP, hash: "#/search?vault=Other" }, async (page) => {
    await search(page, "glockenspiel locksmith");
    const row = page.locator(".result").filter({ hasText: "glockenspiel" }).first();
    await row.getByText("in paper.pdf, embedded in Reading").waitFor();
    assert.match(await row.locator(".where").first().textContent(), /^page 2/);
    const link = row.getByRole("link", { name: "Open page 2 in Obsidian" });
    assert.match(await link.getAttribute("href"), /^obsidian:\/\/open\?.*paper\.pdf%23page%3D2$/);
    await row.locator("[data-result]").click();
    await page.getByRole("article", { name: "Note" }).getByText("glockenspiel").waitFor();
  }));

test("a note shows the page of a PDF that it embeds, which leads to the file's text", () =>
  visit({ ...DESKTOP, hash: "#/search?vault=Other&q=reading&note=Reading.md" }, async (page, watched) => {
    const prose = page.locator(".reader .prose");
    const end = prose.getByRole("img", { name: "its end" });
    await end.waitFor();
    const [first, second] = await prose.locator("img").evaluateAll(async (images) => {
      await Promise.all(images.map((image) => image.decode()));
      return images.map(({ src, naturalWidth, naturalHeight }) => ({ src, size: [naturalWidth, naturalHeight] }));
    });
    assert.deepEqual([first.size, second.size], [[1105, 1430], [1105, 1430]]); // 612 by 792 points
    assert.notEqual(first.src, second.src);
    await page.locator(".picture[title]").getByText("paper.pdf › page=9").waitFor();
    watched.problems.length = 0; // the browser tells of the page that is not there
    assert.equal(await prose.getByText("glockenspiel").count(), 0, "its text is not put into the note");
    await end.click();
    await page.getByRole("article", { name: "Note" }).getByText("glockenspiel").waitFor();
  }));

test("a model that reads the notes is offered with its cost and the command", () =>
  visit({ ...DESKTOP, hash: "#/manage/models?vault=Other" }, async (page) => {
    const offer = page.getByRole("status").filter({ hasText: "Another model reads your notes better" });
    await offer.getByText(/German.*MB/).waitFor();
    assert.match(await offer.locator("code").textContent(), /^notewell index --model multilingual-/);
  }));
