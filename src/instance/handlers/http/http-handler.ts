import type { HttpHandler } from '../../../shared/definitions/definitions.ts'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { NetworkPolicy } from '../../../shared/network/network-policy.ts'
import { type Handler, HandlerError } from '../handler.ts'
import type { Templates } from '../load.ts'
import { type AnswerTemplate, compileAnswer } from '../templates/answer-template.ts'
import { compileHttpRequest } from './http-request.ts'
import { describeStatus, toAnswer, toTemplateValue } from './http-response.ts'
import { dispatcherFor, sendHttp } from './http-send.ts'

/**
 * Creates a handler that answers with the response from another API. `dispatcher` is an undici dispatcher. Tests use it to pass
 * their own DNS.
 */
export function createHttpHandler(
  definition: HttpHandler,
  tenant: Pick<Tenant, 'allowPrivateNetwork' | 'network'>,
  templates: Templates,
  dispatcher = dispatcherFor(tenant.allowPrivateNetwork),
): Handler {
  const policy = new NetworkPolicy(tenant)
  const compose = compileHttpRequest(definition, templates)
  const result: AnswerTemplate | undefined = definition.result && compileAnswer(definition.result, templates)
  return async (scope, { signal }) => {
    const request = compose(scope)
    const response = await sendHttp(request, { ...definition, dispatcher, policy, signal })
    if (response.status < 200 || response.status > 299)
      throw new HandlerError(describeStatus(request, response))
    if (!result) return toAnswer(response)
    return result(new templates.Rendering({ ...scope, response: toTemplateValue(response) }))
  }
}
