import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { ReplayResult, RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import { formatBytes, formatMs } from '../../../../shared/format/metric-format.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Fact, Facts } from '../../../components/figures/facts.tsx'
import { FilterButton } from '../../../components/filters/filter-button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { State } from '../../../components/state.tsx'
import { Text } from '../../../components/text.tsx'
import { setQuery } from '../../../router/router.ts'
import { JsonTree, ResultView } from '../../../schema-form/results/main.ts'
import { TestCaseDialog } from '../playground/test-case-dialog.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { Replayed } from './replayed.tsx'
import { bodiesNote, nameOf } from './request-text.ts'

/** A request with its arguments and answer. */
export function RequestDetail({ id }: { id: string }) {
  const resource = useResource(id, {
    load: signal => request<RequestRecordItem>('GET', `/api/requests/${encodeURIComponent(id)}`, { signal }),
    concerns: ({ type }) => type === 'reset',
  })
  return (
    <section class="request-detail" aria-label="Selected request">
      <Button
        class="close"
        kind="quiet"
        icon="close"
        label="Close the request"
        onClick={() => setQuery({ request: undefined })}
      />
      <Loaded resource={resource} what="the request">
        {record => <Detail record={record} />}
      </Loaded>
    </section>
  )
}

function Detail({ record }: { record: RequestRecordItem }) {
  const isReplaying = useSignal(false)
  const isSaving = useSignal(false)
  const replayed = useSignal<ReplayResult | undefined>(undefined)
  const { method, outcome, reason, arguments: args, answer } = record
  const note = bodiesNote(record)
  return (
    <>
      <h2 class="mono wrap">
        <bdi>{nameOf(record)}</bdi>
      </h2>
      <p class="outcome">
        <State value={outcome} />
        {reason !== null && (
          <span class="wrap">
            <Text value={reason} />
          </span>
        )}
      </p>
      {method === 'tools/call' && (
        <div class="request-actions">
          <Button icon="restart" onClick={() => (isReplaying.value = true)}>
            Replay
          </Button>
          {record.isReplayable && <Button onClick={() => (isSaving.value = true)}>Test case…</Button>}
        </div>
      )}
      <RequestFacts record={record} />
      {note && <p class="muted">{note}</p>}
      {args !== undefined && (
        <Body title="Arguments">
          <JsonTree value={args} />
        </Body>
      )}
      {answer !== undefined && (
        <Body title="Answer">
          <Answer answer={answer} />
        </Body>
      )}
      {replayed.value && <Replayed replay={replayed.value} recorded={answer} />}
      {isSaving.value && (
        <TestCaseDialog
          name={record.tool!}
          place={{ name: record.server, environment: record.environment }}
          call={{ entry: { kind: 'tool', id: record.tool! }, args: (args ?? {}) as Record<string, unknown> }}
          onClose={() => (isSaving.value = false)}
        />
      )}
      {isReplaying.value && (
        <ReplayDialog
          record={record}
          onResult={result => (replayed.value = result)}
          onClose={() => (isReplaying.value = false)}
        />
      )}
    </>
  )
}

function Body({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="request-body">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

/** Result of a tool as its parts, anything else as received. */
function Answer({ answer }: { answer: unknown }) {
  const { result } = (answer ?? {}) as { result?: { content?: unknown } }
  return Array.isArray(result?.content) ? (
    <ResultView result={result} label="Recorded answer" />
  ) : (
    <JsonTree value={answer} />
  )
}

function RequestFacts({ record }: { record: RequestRecordItem }) {
  const { timestamp, durationMs, version, instance, requestBytes, responseBytes, status, code } = record
  const { sessionId, caller, tool, method, replayOf, requestId } = record
  return (
    <Facts>
      <Fact name="Time">{new Date(timestamp).toLocaleString()}</Fact>
      <Fact name="Duration">{durationMs !== null && formatMs(durationMs)}</Fact>
      <Fact name="Method">
        {method !== null && <FilterButton value={method} filters={{ method }} what="requests" />}
      </Fact>
      <Fact name="Tool">
        {tool !== null && <FilterButton value={tool} filters={{ tool }} what="requests" />}
      </Fact>
      <Fact name="Session">
        {sessionId !== null && (
          <FilterButton value={sessionId} filters={{ session: sessionId }} what="requests" />
        )}
      </Fact>
      <Fact name="User">
        {caller !== null && <FilterButton value={caller} filters={{ caller }} what="requests" />}
      </Fact>
      <Fact name="Request">{requestBytes !== null && formatBytes(requestBytes)}</Fact>
      <Fact name="Answer">{responseBytes !== null && formatBytes(responseBytes)}</Fact>
      <Fact name="HTTP status">{status}</Fact>
      <Fact name="JSON-RPC error">{code}</Fact>
      <Fact name="JSON-RPC id">{requestId !== null && <Text value={requestId} max={60} />}</Fact>
      <Fact name="Release">{version !== null && `v${version}`}</Fact>
      <Fact name="Instance" wide>
        <Text value={instance} max={60} />
      </Fact>
      <Fact name="Replay of">
        {replayOf !== null && (
          <Button kind="quiet" class="only" onClick={() => setQuery({ request: replayOf })}>
            Show the original
          </Button>
        )}
      </Fact>
    </Facts>
  )
}
