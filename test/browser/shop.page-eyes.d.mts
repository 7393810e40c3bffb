export function textsOf(selector: string): string[];
export function dataOf(selector: string, name: string): string[];
export function readsAs(selector: string, text: string): boolean;
export function clear(selector: string): void;
export function stepClock(ms: number): void;
export function widths(): { readonly window: number; readonly content: number };
export function scrollsSideways(): boolean;
export function namesFound(): {
  readonly nameless: number;
  readonly unlabelled: number;
  readonly tables: number;
  readonly withoutHeads: number;
  readonly live: readonly string[];
  readonly language: string;
  readonly headings: number;
};
export function insertMarkup(markup: string): string;
