import { type JsonObject, tryParseJson } from '../protocol/json-rpc.ts'
import { ResultText } from '../server/results.ts'

/** An answer from a program whose result may be forwarded without parsing. */
export interface AnswerText {
  id: number
  /** Unvalidated text of the result. */
  result: string
}

/**
 * Finds the result of an answer in the two layouts that libraries write: `JSON.stringify({ jsonrpc, id, result })` (most) and `{
 * result, jsonrpc, id }` (the TypeScript SDK). Undefined for everything else, including errors and white space between members.
 * The line is an answer if and only if `result` is valid JSON.
 */
export function findResult(line: string): AnswerText | undefined {
  if (line.charCodeAt(line.length - 1) !== CLOSE_BRACE) return undefined
  if (line.startsWith(ID_FIRST)) return findAfterId(line)
  return line.startsWith(RESULT_FIRST) ? findBeforeId(line) : undefined
}

/**
 * Validates a result for forwarding as text. Undefined when it must be parsed and serialized again, because it is not an object,
 * is empty, or has a member that we extend.
 */
export function toResultText(text: string): ResultText | undefined {
  // The text may become part of an event stream, where a carriage return ends a line.
  if (!text.startsWith('{"') || !text.endsWith('}') || text.includes('\r')) return undefined
  // The caller reports invalid JSON as noise.
  const result = tryParseJson(text) as JsonObject | undefined
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

/** Undefined for digits that cannot be one of our ids, which are positive integers. */
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
