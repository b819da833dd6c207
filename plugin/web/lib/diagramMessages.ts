/** What the page and the worker that draws diagrams tell each other. */

export interface DiagramJob {
  readonly text: string;
}

export interface DiagramReply {
  /** The picture: an SVG document that loads nothing and runs nothing. */
  readonly svg: string;
  /** The words in it, for those who do not see it. */
  readonly words: string;
}
