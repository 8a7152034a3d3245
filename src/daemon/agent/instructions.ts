import type { TestContext } from '../../shared/contract/testing/test-runs.ts'
import type { Offer } from './offer/offer.ts'

/** System prompt of a model. It depends only on the server and the context, and recordings contain it. */
export function instructionsFor(
  { instructions }: Pick<Offer, 'instructions'>,
  context: TestContext | undefined,
): string {
  const parts = [
    'You use the tools, resources and prompts of one MCP server on behalf of a user.',
    'Call what the request needs, with values the user gave; calls that do not depend on each other go into one turn.',
    'When nothing that the server offers fits the request, say so and call nothing. Answer briefly, from the results.',
  ]
  if (instructions) parts.push(`The server describes itself:\n${instructions}`)
  if (context?.user_id) parts.push(`The user's id is ${JSON.stringify(context.user_id)}.`)
  if (context?.session_data) parts.push(`Data of the session: ${JSON.stringify(context.session_data)}`)
  return parts.join('\n\n')
}
