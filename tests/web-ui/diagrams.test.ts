/** Diagrams: what may be shown as a picture, and what stays text. */

import { renderMermaid } from "beautiful-mermaid";
import { describe, expect, it } from "vitest";
import { kindOf, plainSource } from "../../plugin/web/lib/diagramSource";
import { checkedSvg, wordsOf } from "../../plugin/web/lib/diagramSvg";

const picture = async (text: string): Promise<string> => checkedSvg(await renderMermaid(plainSource(text), { font: "system-ui" }));

describe("a diagram", () => {
  it.each([
    'graph TD\n  A["Start (now)"] -->|yes| B{Ready?}\n  subgraph S\n  B --> C((Done))\n  end\n  classDef hot fill:#f96\n  class C hot',
    "sequenceDiagram\n  participant A\n  A->>B: Hello\n  Note over A,B: both\n  loop each\n  B-->>A: Hi\n  end",
    "stateDiagram-v2\n  [*] --> Still\n  Still --> [*]",
    "classDiagram\n  Animal <|-- Duck\n  Animal : +int age",
    "erDiagram\n  BOOK ||--o{ PAGE : has\n  BOOK {\n    string title PK\n  }",
  ])("is a picture that loads nothing: %s", async (text) => {
    const svg = await picture(text);
    expect(svg).toMatch(/^<svg[\s\S]*<\/svg>$/);
    expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)|@import|<script|href/);
  });

  it("has its words for those who do not see it, without quotes and settings", async () => {
    const svg = await picture('%%{init: {"theme": "dark"}}%%\ngraph TD\n  A["Start (now)"] --> B[A & B<br/>more]');
    expect(wordsOf(svg)).toBe("Start ‹now›, A & B more");
  });

  it("of another kind is told by its kind", () => {
    expect(kindOf("gantt\n title x")).toEqual({ kind: "gantt", isDrawn: false });
    expect(kindOf("---\ntitle: x\n---\nflowchart LR\nA-->B")).toEqual({ kind: "flowchart", isDrawn: true });
    expect(kindOf("")).toEqual({ kind: "", isDrawn: false });
  });
});

describe("a hostile diagram", () => {
  it.each([
    'graph TD\n  A[</text><script>alert(1)</script>] --> B',
    'graph TD\n  A --> B\n  style A fill:red" onload="alert(1)',
    "graph TD\n  A --> B\n  style A fill:url(http://evil.example/x)",
    'graph TD\n  A --> B\n  click A "javascript:alert(1)"',
    "sequenceDiagram\n  A->>B: <image href=http://evil.example/x>",
  ])("is harmless or refused: %s", async (text) => {
    const svg = await picture(text).catch(() => "");
    expect(svg).not.toMatch(/<(script|image|foreignObject|a)\b|url\(http|\sonload="/);
  });

  it.each(['<svg><script>1</script></svg>', '<svg onload="x"></svg>', '<svg><image href="x"/></svg>', '<svg><rect fill="url(http://evil.example)"/></svg>', "<svg><style>@import 'x'</style></svg>"])(
    "is refused as a whole: %s",
    (svg) => expect(() => checkedSvg(svg)).toThrow(),
  );
});
