/** The folder of the pictures. */
export const IMAGES: string;
export const PICTURES: readonly { readonly name: string; readonly from: string; readonly test: string; readonly shows: readonly string[] }[];
export function hashOfSources(places: readonly string[]): string;
