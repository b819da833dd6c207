/** The build's last step: functions as arrow functions do what they did before. */

import { expect, it } from "vitest";
import { joined, withArrows, withoutMarks, withShortThis } from "../../plugin/arrows.mjs";

/** What a script leaves in `found`. */
function run(code: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the script of a test
  return new Function("found", `${code};return found`)({}) as unknown;
}

it.each([
  ["function a(x){return x+1}found.it=a(1)", "var a=x=>x+1;found.it=a(1)"],
  ["found.it=a(1,2);function a(x,y){let z=x*y;return z}", "var a=(x,y)=>{let z=x*y;return z};found.it=a(1,2);"],
  ["function a({x},...[y]){return{x,y}}found.it=a({x:1},2)", "var a=({x},...[y])=>({x,y});found.it=a({x:1},2)"],
  ["function a(x){return x++,x}found.it=a(1)", "var a=x=>(x++,x);found.it=a(1)"],
  ["function a(x=2){return}found.it=[a(),typeof a]", "var a=(x=2)=>{return};found.it=[a(),typeof a]"],
  ['"use strict";var b=2;function a(){return b}found.it=a()', '"use strict";var a=()=>b;var b=2;found.it=a()'],
  ["function a(x){return b(x)}function b(x){return x?a(0):3}found.it=a(1)", "var a=x=>b(x),b=x=>x?a(0):3;found.it=a(1)"],
  ["function a(x){return class{y=this;z(){return this.y===this&&x}}}found.it=new(a(1))().z()", null],
])("%s", (code, expected) => {
  const arrows = withArrows(code);
  if (expected !== null) expect(arrows).toBe(expected);
  expect(arrows).not.toContain("function");
  expect(run(arrows)).toEqual(run(code));
});

it("makes asynchronous ones", async () => {
  const { it: found } = run(withArrows("async function a(x){return await x}found.it=a(4)")) as { it: Promise<number> };
  await expect(found).resolves.toBe(4);
});

it.each([
  "function*a(){yield 1}found.it=[...a()]",
  "function a(){return arguments.length}found.it=a(1,2)",
  "function a(){return this}found.it=a.call(3)==3",
  "function a(){return()=>this}found.it=a.call(3)()==3",
])("leaves what an arrow function cannot do: %s", (code) => {
  expect(withArrows(code)).toBe(code);
});

it.each([
  ["class A{b=1;c(){this.b=this.b+this.b*this.b;return this.b}}found.it=new A().c()", "class A{b=1;c(){let $=this;$.b=$.b+$.b*$.b;return $.b}}found.it=new A().c()"],
  ["class A{b=1;c(){let x=()=>this.b+this.b;return x()+this.b}}found.it=new A().c()", "class A{b=1;c(){let $=this,x=()=>$.b+$.b;return x()+$.b}}found.it=new A().c()"],
  ["class A{b={c:2};d(){let{c:e}=this.b;return e+this.b.c+this.b.c}}found.it=new A().d()", "class A{b={c:2};d(){let $=this,{c:e}=$.b;return e+$.b.c+$.b.c}}found.it=new A().d()"],
])("gives `this` a short name: %s", (code, expected) => {
  expect(withShortThis(code)).toBe(expected);
  expect(run(expected)).toEqual(run(code));
});

it.each([
  "class A{b=1}class C extends A{constructor(){super();this.c=[this.b,this.b,this.b,this.b,this.b]}}found.it=new C().c",
  "class A{b=this;c(){return[this.b,()=>class{d=this;e=this;f=this;g=this}]}}found.it=new A().b.b===0",
  "var $=1;class A{b(){return[this,this,this,this,this]}}found.it=$",
])("leaves `this` where a short name saves nothing or is not safe: %s", (code) => {
  expect(withShortThis(code)).toBe(code);
});

it.each([
  ["class A{#b=1;get#c(){return this.#b}d(){return this.#c+1}}found.it=new A().d()", "class A{b=1;get c(){return this.b}d(){return this.c+1}}found.it=new A().d()"],
  ["class A{#b=1;c(){return this.#b}}class D extends A{#b=2;e(){return this.#b+this.c()}}found.it=new D().e()", "class A{b=1;c(){return this.b}}class D extends A{#b=2;e(){return this.#b+this.c()}}found.it=new D().e()"],
  ["class A{async#b(){return 1}c(){return class extends A{#b=3;d(){return this.#b}}}}found.it=new(new A().c())().d()", "class A{async b(){return 1}c(){return class extends A{#b=3;d(){return this.#b}}}}found.it=new(new A().c())().d()"],
])("needs no mark of private names in a class that extends none: %s", (code, expected) => {
  expect(withoutMarks(code)).toBe(expected);
  expect(run(expected)).toEqual(run(code));
});

it.each([
  ["var a=1;var{b}={b:2};var[c]=[3];found.it=a+b+c;var d;", "var a=1,{b}={b:2},[c]=[3];found.it=a+b+c;var d;"],
  ["var a=1\nvar b=`;var c`;let e=2;found.it=b", "var a=1,b=`;var c`;let e=2;found.it=b"],
])("joins declarations: %s", (code, expected) => {
  expect(joined(code)).toBe(expected);
  expect(run(expected)).toEqual(run(code));
});
