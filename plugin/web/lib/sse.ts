/** Parses server-sent events from the chunks of a stream, as the HTML standard specifies. */

export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export class EventReader {
  #rest = "";
  #id = "";
  #event = "";
  #data: string[] = [];

  /** Adds a chunk and returns the events that it completes. */
  read(piece: string): readonly ServerEvent[] {
    this.#rest += piece;
    const events: ServerEvent[] = [];
    // A carriage return at the end may be the first half of CRLF, so it waits for the next chunk.
    for (let end = this.#end(); end; end = this.#end()) {
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = line === "" ? this.#complete() : this.#field(line);
      if (event) events.push(event);
    }
    return events;
  }

  #end(): RegExpExecArray | null {
    return /\r\n|\n|\r(?!$)/.exec(this.#rest);
  }

  #field(line: string): null {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
    return null;
  }

  /** Ends an event at an empty line; events without data are dropped. */
  #complete(): ServerEvent | null {
    const data = this.#data.join("\n");
    const event = { id: this.#id, event: this.#event || "message", data };
    const isEvent = this.#data.length > 0;
    this.#data = [];
    this.#event = "";
    return isEvent ? event : null;
  }
}
