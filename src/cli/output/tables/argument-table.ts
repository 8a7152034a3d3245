import { propertiesOf, requiredOf, type Schema, viewOf } from '../../../shared/surface/schema-view.ts'
import { typeText, valuesText } from '../schema-text.ts'

const HEADERS = ['ARGUMENT', 'TYPE', '', 'VALUES', 'DESCRIPTION']

/** Arguments of a tool. Columns that are empty in all rows are left out. */
export function argumentTable(inputSchema: Schema): { headers: string[]; rows: string[][] } {
  const view = viewOf(inputSchema, inputSchema)
  const required = requiredOf(view)
  const rows = Object.entries(propertiesOf(view)).map(([name, schema]) => [
    name,
    typeText(schema, inputSchema),
    required.has(name) ? 'required' : '',
    valuesText(schema, inputSchema),
    descriptionOf(schema),
  ])
  const isFilled = HEADERS.map((_, column) => rows.some(row => row[column] !== ''))
  const filled = (row: string[]) => row.filter((_, column) => isFilled[column])
  return { headers: filled(HEADERS), rows: rows.map(filled) }
}

function descriptionOf(schema: unknown): string {
  const { description } = Object(schema) as { description?: unknown }
  return typeof description === 'string' ? description : ''
}
