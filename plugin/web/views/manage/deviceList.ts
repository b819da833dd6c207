/** The devices that have access of their own; an administrator ends the access of one. */

import type { DevicesReply, DeviceView } from "../../../src/contract";
import { administering } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { ago, day } from "../../lib/format";
import { Loader, runAction, table } from "./panel";
import { t } from "../../../src/texts";

const rights = (): Readonly<Record<DeviceView["scope"], string>> => ({
  read: t("read only"),
  write: t("read and write"),
  admin: t("everything, also these settings"),
});

export class DeviceList {
  readonly el = h("section");
  readonly #context: ViewContext;
  readonly #shared: () => void;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  /** `shared` is called once the server says that it lets in others than the program that started it. */
  constructor(context: ViewContext, shared: () => void) {
    this.#context = context;
    this.#shared = shared;
    this.el.append(this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => administering(this.#context).devices(),
      (reply) => this.#draw(reply),
    );
  }

  #draw({ devices, shared }: DevicesReply): Node[] {
    if (!shared) return [h("p", { class: "faint" }, t("This server was started by a program, such as Obsidian, for itself: no other device has access. One that is started with “notewell serve” lets devices in."))];
    this.#shared();
    const title = h("h2", {}, t("Devices with access"));
    if (devices.length === 0) return [title, h("p", { class: "faint" }, t("No device has access of its own yet. This computer always has."))];
    const rows = devices.map((device) => [
      device.current ? t("{name} (this browser)", { name: device.name }) : device.name,
      device.kind === "browser" ? t("browser") : t("app or program"),
      rights()[device.scope],
      day(device.created),
      device.last_used === null ? t("never") : ago(device.last_used),
      this.#endButton(device),
    ]);
    return [title, table(t("Devices with access"), [t("Name"), t("Kind"), t("May"), t("Since"), t("Last used"), t("Change")], rows)];
  }

  /** The second press ends it. */
  #endButton({ id, name, current }: DeviceView): HTMLElement {
    let isSure = false;
    const end = button("", () => {
      if (isSure) void this.#end(id, name);
      isSure = true;
      say(current ? t("Sign this browser out?") : t("Really end?"));
    }, { class: "quiet" });
    const say = (text: string): void => {
      end.textContent = text;
      end.setAttribute("aria-label", `${text} ${name}`);
    };
    say(t("End access…"));
    return end;
  }

  async #end(id: string, name: string): Promise<void> {
    const ended = async (): Promise<void> => {
      const reply = await administering(this.#context).revokeDevice(id);
      fill(this.#body, ...this.#draw(reply));
    };
    if (!(await runAction(this.#context, t("{name} has no access any more", { name }), ended))) this.show();
  }
}
