import type { SuiteRunSummary } from '../../../../shared/contract/testing/suite-runs.ts'
import { formatPercent } from '../../../../shared/format/metric-format.ts'

const BAR = 8
const GAP = 2
const HEIGHT = 40

/** Pass rates over time, oldest first. The table below has the same figures. */
export function PassRates({ runs }: { runs: readonly SuiteRunSummary[] }) {
  if (runs.length < 2) return null
  const width = runs.length * (BAR + GAP) - GAP
  const newest = runs[0]!
  return (
    <figure class="pass-rates">
      <div>
        <svg aria-hidden="true" width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
          {runs.toReversed().map(({ id, status, successRate }, index) => {
            const height = Math.max(2, successRate * HEIGHT)
            return (
              <rect
                key={id}
                class={status}
                x={index * (BAR + GAP)}
                y={HEIGHT - height}
                width={BAR}
                height={height}
                rx="1.5"
              />
            )
          })}
        </svg>
      </div>
      <figcaption>
        <strong>{formatPercent(newest.successRate)}</strong> of cases passed in the newest run
      </figcaption>
    </figure>
  )
}
