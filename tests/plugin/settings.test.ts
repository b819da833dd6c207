import { describe, expect, it } from "vitest";
import {
  DEVICE_DEFAULTS,
  Settings,
  VAULT_DEFAULTS,
  type DeviceSettings,
  type VaultSettings,
} from "../../plugin/src/settings";

async function settingsOf(vault: unknown, device: unknown = null): Promise<{
  settings: Settings;
  saved: { vault?: VaultSettings; device?: DeviceSettings };
}> {
  const saved: { vault?: VaultSettings; device?: DeviceSettings } = {};
  const settings = new Settings({
    loadVault: () => Promise.resolve(vault),
    saveVault: (data) => Promise.resolve(void (saved.vault = data)),
    loadDevice: () => device,
    saveDevice: (data) => void (saved.device = data),
  });
  await settings.load();
  return { settings, saved };
}

describe("settings", () => {
  it.each([[null], ["text"], [[]], [{ score: "loud", resultLimit: "many", marks: 3 }]])(
    "are the defaults where %j is stored",
    async (stored) => {
      const { settings } = await settingsOf(stored, stored);
      expect(settings.vault).toEqual(VAULT_DEFAULTS);
      expect(settings.device).toEqual(DEVICE_DEFAULTS);
    },
  );

  it("keep what is sane of what is stored, in its bounds, and drop what they do not know", async () => {
    const { settings } = await settingsOf({ resultLimit: 5_000, score: "bar", colour: "red" });
    expect(settings.vault).toEqual({ ...VAULT_DEFAULTS, resultLimit: 200, score: "bar" });
  });

  it("never write to the synced file what belongs to one device", async () => {
    const { settings, saved } = await settingsOf(null);
    settings.setDevice("program", "/opt/recollect");
    await settings.setVault("score", "off");
    expect(saved.device).toMatchObject({ program: "/opt/recollect" });
    expect(JSON.stringify(saved.vault)).not.toMatch(/program|address|token|Agreed/);
  });

  it("tell who listens what changed", async () => {
    const { settings } = await settingsOf(null);
    const heard: string[] = [];
    const stop = settings.subscribe((changed) => heard.push(changed));
    await settings.setVault("minScore", 0.5);
    settings.setDevice("mode", "remote");
    stop();
    settings.setDevice("mode", "local");
    expect(heard).toEqual(["minScore", "mode"]);
  });

  it("remember the last searches, each once", async () => {
    const { settings } = await settingsOf(null);
    for (let n = 0; n < 30; n += 1) settings.remember(`q${n}`);
    settings.remember("q25");
    expect(settings.device.history).toHaveLength(20);
    expect(settings.device.history.slice(0, 2)).toEqual(["q25", "q29"]);
  });
});
