import './chart.css'
import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ChartTable, formatted } from './chart-table.tsx'
import { Plot } from './plot.tsx'
import { timeLabel } from './time-labels.ts'
import { type Measure, marksAt, type TimeSeries } from './time-series.ts'

interface TimeChartsProps {
  /** Caption of the table. */
  caption: string
  series: TimeSeries
  /** Heading of the table column with the marks. */
  marked: string
  /** Shows the table instead of the charts. Screen readers always have the table. */
  asTable: boolean
}

/** A chart for each measure. The pointer shows the values at the same time in all charts. */
export function TimeCharts({ caption, series, marked, asTable }: TimeChartsProps) {
  const syncKey = useId()
  const hovered = useSignal<number | undefined>(undefined)
  return (
    <>
      {!asTable && (
        <div class="charts">
          {series.measures.map(measure => (
            <figure key={measure.name} class="chart">
              <ChartHead series={series} measure={measure} hovered={hovered} />
              <Plot
                series={series}
                measure={measure}
                syncKey={syncKey}
                onHover={index => {
                  hovered.value = index
                }}
              />
            </figure>
          ))}
        </div>
      )}
      <ChartTable caption={caption} series={series} marked={marked} isShown={asTable} />
    </>
  )
}

interface ChartHeadProps {
  series: TimeSeries
  measure: Measure
  hovered: Signal<number | undefined>
}

function ChartHead({ series, measure: { name, values, format, whole }, hovered }: ChartHeadProps) {
  const index = hovered.value
  const time = index === undefined ? undefined : series.times[index]
  const when = time !== undefined && [timeLabel(time), marksAt(series, time)].filter(Boolean).join(', ')
  return (
    <figcaption>
      <span class="name">{name}</span>
      {when && <span class="muted truncate">{when}</span>}
      <strong>{index === undefined ? whole : formatted(values[index], format)}</strong>
    </figcaption>
  )
}
