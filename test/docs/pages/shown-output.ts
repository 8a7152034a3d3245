/** Parts that differ from run to run: times, ports, and what `…` stands for. */
const CHANGING = /\d+(?:\.\d+)? (?:ms|s|min)\b|(?<=127\.0\.0\.1:)\d+|…/g

/**
 * Pattern of output that a page shows: consecutive lines. `…` stands for any text, or alone on a line for any lines.
 * Times, ports and the width of columns may differ.
 */
export function outputPattern(shown: string): RegExp {
  const lines = shown.split('\n').map(line => (line.trim() === '…' ? '(?:.*\\n)*?.*' : linePattern(line)))
  return new RegExp(`^${lines.join('\\n')}$`, 'm')
}

function linePattern(line: string): string {
  const fixed = line.trimEnd().split(CHANGING).map(columnPattern)
  const changing = [...line.matchAll(CHANGING)].map(([text]) => (text === '…' ? '.*' : changingPattern(text)))
  return `${fixed.map((text, index) => text + (changing[index] ?? '')).join('')} *`
}

function changingPattern(text: string): string {
  return text.includes(' ') ? '[\\d.]+ (?:ms|s|min)' : '\\d+'
}

function columnPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2,}/g, ' +')
}
