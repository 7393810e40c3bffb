/**
 * What the server has to parse, and no more: comments, indentation and empty lines go.
 * A line inside a long string is left alone, and so is a comment that follows code.
 */
export function stripLua(text) {
  const kept = [];
  let insideComment;
  let insideString;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (insideString) {
      kept.push(line);
      if (line.includes(insideString)) insideString = undefined;
      continue;
    }
    let rest = line.trim();
    if (insideComment) {
      const end = rest.indexOf(insideComment);
      if (end < 0) continue;
      rest = rest.slice(end + insideComment.length).trim();
      insideComment = undefined;
    }
    const comment = /^--\[(=*)\[/.exec(rest);
    if (comment) {
      const close = `]${comment[1]}]`;
      const end = rest.indexOf(close);
      if (end < 0) {
        insideComment = close;
        continue;
      }
      rest = rest.slice(end + close.length).trim();
    }
    if (rest === '' || rest.startsWith('--')) continue;
    const string = /\[(=*)\[/.exec(rest);
    if (string && !rest.slice(string.index).includes(`]${string[1]}]`)) insideString = `]${string[1]}]`;
    kept.push(insideString ? line.trimStart() : rest);
  }
  return kept.join('\n');
}
