// Globals that the plugin names often, so that the bundler may give them a shorter name in main.js.

const { Array, Boolean, Date, Error, Float32Array, Int32Array, JSON, Map, Math, Number, Object, Promise, Set, String, Uint32Array, Uint8Array, performance, window } = globalThis;

export { Array, Boolean, Date, Error, Float32Array, Int32Array, JSON, Map, Math, Number, Object, Promise, Set, String, Uint32Array, Uint8Array, performance, window };
