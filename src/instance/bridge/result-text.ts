import { ResultText } from '../prepared-server.ts'

/** An answer of a program whose result need not be read to be passed on. */
export interface AnswerText {
  id: number
  /** Whatever stands where the result is expected. */
  result: string
}

/**
 * Finds the result in an answer, in the two ways that the libraries write one: `JSON.stringify({ jsonrpc, id, result })` as
 * most do, `{ result, jsonrpc, id }` as the SDK for TypeScript. Undefined for everything else, errors and white space between
 * the members included. The line is an answer if, and only if, `result` is JSON.
 */
export function findResult(line: string): AnswerText | undefined {
  if (line.charCodeAt(line.length - 1) !== CLOSE_BRACE) return undefined
  if (line.startsWith(ID_FIRST)) return findAfterId(line)
  return line.startsWith(RESULT_FIRST) ? findBeforeId(line) : undefined
}

/**
 * A result as it is passed on; undefined where it has to be read and written anew, because it is no object, has no member,
 * or one that we add to.
 */
export function toResultText(text: string): ResultText | undefined {
  // A line ends at a carriage return as well in the event streams that this may become a part of.
  if (!text.startsWith('{"') || !text.endsWith('}') || text.includes('\r')) return undefined
  const result = parse(text)
  if (!result || Object.hasOwn(result, '_meta')) return undefined
  return new ResultText(text.slice(1, -1), result.isError === true)
}

const ID_FIRST = '{"jsonrpc":"2.0","id":'
const RESULT_FIRST = '{"result":'
const RESULT_LATER = ',"result":'
const ID_LATER = ',"jsonrpc":"2.0","id":'
const CLOSE_BRACE = 0x7d

function findAfterId(line: string): AnswerText | undefined {
  const end = endOfDigits(line, ID_FIRST.length)
  if (!line.startsWith(RESULT_LATER, end)) return undefined
  return answer(line.slice(ID_FIRST.length, end), line.slice(end + RESULT_LATER.length, -1))
}

function findBeforeId(line: string): AnswerText | undefined {
  const end = line.lastIndexOf(ID_LATER)
  if (end < 0) return undefined
  const id = line.slice(end + ID_LATER.length, -1)
  if (endOfDigits(id, 0) < id.length) return undefined
  return answer(id, line.slice(RESULT_FIRST.length, end))
}

/** Ids of ours are whole numbers above zero. */
function answer(digits: string, result: string): AnswerText | undefined {
  return digits === '' || digits.startsWith('0') ? undefined : { id: Number(digits), result }
}

function endOfDigits(text: string, from: number): number {
  let end = from
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told as noise by whoever reads the whole line
  }
}
