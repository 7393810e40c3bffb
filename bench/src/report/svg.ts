/** Has its own background, so it looks the same on a page of any colour. */
export const STYLE = `
svg { color-scheme: light dark; }
.paper { fill: #ffffff; stroke: #d0d7de; }
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.soft { fill: #59636e; font-size: 12px; }
.value { font-weight: 600; fill: #0550ae; }
.grid { stroke: #d8dee4; }
.raw { stroke: #59636e; stroke-width: 1.5; }
.bedrock { fill: #0969da; }
.peer { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; stroke: #3d444d; }
  text { fill: #e6edf3; }
  .soft { fill: #9198a1; }
  .value { fill: #79c0ff; }
  .grid { stroke: #2a313c; }
  .raw { stroke: #9198a1; }
  .bedrock { fill: #4493f8; }
  .peer { filter: brightness(1.7); }
}`;

/** A drawing of this size, with a label for screen readers. */
export function svg(width: number, height: number, label: string, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(label)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

export function circle(x: number, y: number, radius: number, kind: string, stroke?: string): string {
  const colour = stroke === undefined ? '' : ` stroke="${stroke}"`;
  return `<circle class="${kind}" cx="${x}" cy="${y}" r="${radius}"${colour}/>`;
}

export function line(kind: string, from: readonly [number, number], to: readonly [number, number]): string {
  return `<line class="${kind}" x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}"/>`;
}

export function text(x: number, y: number, content: string, kind?: string, anchor?: string): string {
  const attributes = [kind && ` class="${kind}"`, anchor && ` text-anchor="${anchor}"`].join('');
  return `<text x="${x}" y="${y}"${attributes}>${escape(content)}</text>`;
}

export function round(value: number): number {
  return Number(value.toPrecision(6));
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
