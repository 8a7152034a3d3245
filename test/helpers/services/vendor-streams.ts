/** Output of a model in one turn. */
export interface ModelTurn {
  text?: string
  /** `raw` replaces `arguments` with text that may be invalid JSON. */
  calls?: { name: string; arguments?: unknown; raw?: string }[]
  usage?: { input: number; output: number; cached?: number }
}

const USAGE = { input: 100, output: 20, cached: 0 }

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicStream({ text, calls = [], usage }: ModelTurn, turn: number): string[] {
  const { input, output, cached = 0 } = { ...USAGE, ...usage }
  const event = (data: { type: string; [key: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const blocks: string[] = []
  if (text !== undefined) {
    blocks.push(
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'ping' }),
    )
    for (const delta of pieces(text))
      blocks.push(
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: delta } }),
      )
    blocks.push(event({ type: 'content_block_stop', index: 0 }))
  }
  for (const [at, call] of calls.entries()) {
    const index = at + (text === undefined ? 0 : 1)
    const content_block = { type: 'tool_use', id: `toolu_${turn}_${at}`, name: call.name, input: {} }
    blocks.push(event({ type: 'content_block_start', index, content_block }))
    for (const partial_json of pieces(argumentsOf(call)))
      blocks.push(
        event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
      )
    blocks.push(event({ type: 'content_block_stop', index }))
  }
  return [
    event({
      type: 'message_start',
      message: {
        id: `msg_${turn}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: input - cached,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: 0,
          output_tokens: 1,
        },
      },
    }),
    ...blocks,
    event({
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event({ type: 'message_stop' }),
  ]
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function openAiStream({ text, calls = [], usage }: ModelTurn, turn: number): string[] {
  const { input, output, cached = 0 } = { ...USAGE, ...usage }
  let sequence = 0
  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`
  const response = {
    id: `resp_${turn}`,
    object: 'response',
    created_at: 1_700_000_000,
    model: 'gpt-5.2-2025-12-11',
    output: [],
  }
  const events = [event('response.created', { response: { ...response, status: 'in_progress' } })]
  let output_index = 0
  if (text !== undefined) {
    const id = `msg_${turn}`
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }
    events.push(event('response.output_item.added', { output_index, item }))
    for (const delta of pieces(text))
      events.push(event('response.output_text.delta', { item_id: id, output_index, content_index: 0, delta }))
    const content = [{ type: 'output_text', text, annotations: [] }]
    events.push(
      event('response.output_item.done', { output_index, item: { ...item, status: 'completed', content } }),
    )
    output_index++
  }
  for (const [at, call] of calls.entries()) {
    const id = `fc_${turn}_${at}`
    const item = {
      id,
      type: 'function_call',
      call_id: `call_${turn}_${at}`,
      name: call.name,
      arguments: '',
      status: 'in_progress',
    }
    events.push(event('response.output_item.added', { output_index, item }))
    for (const delta of pieces(argumentsOf(call)))
      events.push(event('response.function_call_arguments.delta', { item_id: id, output_index, delta }))
    events.push(
      event('response.function_call_arguments.done', {
        item_id: id,
        output_index,
        arguments: argumentsOf(call),
      }),
    )
    events.push(
      event('response.output_item.done', {
        output_index,
        item: { ...item, arguments: argumentsOf(call), status: 'completed' },
      }),
    )
    output_index++
  }
  const counted = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
  events.push(event('response.completed', { response: { ...response, status: 'completed', usage: counted } }))
  return events
}

/** https://platform.openai.com/docs/api-reference/chat/streaming, as Ollama, llama.cpp, LM Studio and vLLM speak it. */
export function chatCompletionsStream({ text, calls = [], usage }: ModelTurn, turn: number): string[] {
  const { input, output } = { ...USAGE, ...usage }
  const head = {
    id: `chatcmpl-${turn}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'llama3.2',
  }
  const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(text ?? '').map(content => chunk({ content })),
    ...calls.flatMap((call, index) => [
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${turn}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: '' },
          },
        ],
      }),
      ...pieces(argumentsOf(call)).map(part =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    event({
      ...head,
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
    'data: [DONE]\n\n',
  ]
}

function argumentsOf(call: NonNullable<ModelTurn['calls']>[number]): string {
  return call.raw ?? JSON.stringify(call.arguments ?? {})
}

/** Models send a few letters at a time, in the middle of words and numbers. */
function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? []
}
