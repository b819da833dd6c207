/** Which machine the app says it runs on. */

import type { Platform as AppPlatform } from "obsidian";
import { environment } from "./environment";

const isPhone = environment.kind === "phone";

export const Platform: typeof AppPlatform = {
  isDesktop: !isPhone,
  isMobile: isPhone,
  isDesktopApp: !isPhone,
  isMobileApp: isPhone,
  isIosApp: false,
  isAndroidApp: isPhone,
  isPhone,
  isTablet: false,
  isMacOS: false,
  isWin: false,
  isLinux: !isPhone,
  isSafari: false,
  resourcePathPrefix: "app://host/",
};

document.body.addClass(environment.isDark ? "theme-dark" : "theme-light");
if (isPhone) document.body.addClasses(["is-mobile", "is-phone"]);
