import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../../src/daemon/agent/embedded/embedded-model.ts'

const model = createEmbeddedModel()

type Properties = Record<string, unknown>

function tool(
  name: string,
  description: string,
  properties: Properties,
  required: string[],
): LanguageModelV4FunctionTool {
  const inputSchema = { type: 'object', properties, required } as LanguageModelV4FunctionTool['inputSchema']
  return { type: 'function', name, description, inputSchema }
}

/** The arguments of each call for a message. */
async function argumentsOf(message: string, ...tools: LanguageModelV4FunctionTool[]): Promise<unknown[]> {
  const { content } = await model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: message }] }],
    tools,
  })
  return content.flatMap(part => (part.type === 'tool-call' ? [JSON.parse(part.input)] : []))
}

const number = { type: 'number' }
const text = { type: 'string' }
const rectangle = tool('rectangle_area', 'Area of a rectangle', { width: number, height: number }, [
  'width',
  'height',
])
const convert = tool(
  'convert_currency',
  'Convert an amount of money from one currency to another',
  { amount: number, from_currency: text, to_currency: text },
  ['amount', 'from_currency', 'to_currency'],
)
const route = tool('find_route', 'Find a route between two cities', { start: text, destination: text }, [
  'start',
  'destination',
])

test('the words around a number select its parameter', async () => {
  expect(await argumentsOf('Area of a rectangle with a height of 3 and a width of 5', rectangle)).toEqual([
    { width: 5, height: 3 },
  ])
})

test('the numbers of a list are assigned to its nouns in order', async () => {
  expect(await argumentsOf('Area of a rectangle with height and width of 3 and 5', rectangle)).toEqual([
    { width: 5, height: 3 },
  ])
})

test('a quantity is converted to the unit of the parameter', async () => {
  const bmi = tool(
    'body_mass_index',
    'Calculate the body mass index',
    {
      weight: { type: 'number', description: 'Weight in kilograms' },
      height: { type: 'number', description: 'Height in meters' },
    },
    ['weight', 'height'],
  )
  expect(await argumentsOf('Calculate the body mass index for 70 kg and 180 cm', bmi)).toEqual([
    { weight: 70, height: 1.8 },
  ])
})

test('percent is converted to a fraction unless the parameter asks for percent', async () => {
  const interest = (description: string) =>
    tool(
      'interest',
      'Interest of an investment',
      { rate: { type: 'number', description }, years: { type: 'integer' } },
      ['rate', 'years'],
    )
  const message = 'Interest of an investment at a rate of 5% for 3 years'
  expect(await argumentsOf(message, interest('Annual rate'))).toEqual([{ rate: 0.05, years: 3 }])
  expect(await argumentsOf(message, interest('Annual rate in percent'))).toEqual([{ rate: 5, years: 3 }])
})

test('"from" and "to" select source and target', async () => {
  expect(await argumentsOf('Find a route to Rome from Milan', route)).toEqual([
    { start: 'Milan', destination: 'Rome' },
  ])
})

test('each leg of a journey is a separate call', async () => {
  expect(await argumentsOf('Find the route from Oslo to Bergen and from Bergen to Trondheim', route)).toEqual(
    [
      { start: 'Oslo', destination: 'Bergen' },
      { start: 'Bergen', destination: 'Trondheim' },
    ],
  )
})

test('currencies are passed as codes', async () => {
  expect(await argumentsOf('Convert 150 Euros to Canadian dollars', convert)).toEqual([
    { amount: 150, from_currency: 'EUR', to_currency: 'CAD' },
  ])
})

test('each pair of values results in a separate call', async () => {
  const gcd = tool(
    'gcd',
    'Greatest common divisor of two numbers',
    { num1: { type: 'integer' }, num2: { type: 'integer' } },
    ['num1', 'num2'],
  )
  const pairs = [
    { num1: 45, num2: 60 },
    { num1: 81, num2: 27 },
  ]
  expect(await argumentsOf('Greatest common divisor of (45, 60) and (81, 27)', gcd)).toEqual(pairs)
  expect(await argumentsOf('Greatest common divisor of the numbers 45 and 60, 81 and 27', gcd)).toEqual(pairs)
})

test('"respectively" pairs two lists, and otherwise every combination results in a call', async () => {
  const rate = tool(
    'win_rate',
    'Win rate of a team in a season',
    { team: text, season: { type: 'integer' } },
    ['team', 'season'],
  )
  expect(
    await argumentsOf('Win rate of the Lakers and Bulls in the seasons 2018 and 2020 respectively', rate),
  ).toEqual([
    { team: 'Lakers', season: 2018 },
    { team: 'Bulls', season: 2020 },
  ])
  expect(
    await argumentsOf('Win rate of the Lakers and Bulls in the seasons 2018 and 2020', rate),
  ).toHaveLength(4)
})

test('enumerations match by their words, and flags match by mention or negation', async () => {
  const order = tool(
    'order_pizza',
    'Order a pizza',
    {
      size: { type: 'string', enum: ['small', 'large'] },
      topping: text,
      extra_cheese: { type: 'boolean' },
    },
    ['size', 'topping'],
  )
  expect(
    await argumentsOf('Order a large pizza with the topping "mushrooms" and extra cheese', order),
  ).toEqual([{ size: 'large', topping: 'mushrooms', extra_cheese: true }])
  expect(await argumentsOf('Order a small pizza with the topping "ham" without extra cheese', order)).toEqual(
    [{ size: 'small', topping: 'ham', extra_cheese: false }],
  )
})

test('dates are formatted as the schema or its description asks', async () => {
  const book = (date: Properties) => tool('book_room', 'Book a room for a date', { date }, ['date'])
  const message = 'Book a room for March 5th, 2025'
  expect(await argumentsOf(message, book({ type: 'string', format: 'date' }))).toEqual([
    { date: '2025-03-05' },
  ])
  expect(await argumentsOf(message, book({ type: 'string', description: 'Date as MM/DD/YYYY' }))).toEqual([
    { date: '03/05/2025' },
  ])
})

test('arrays of objects are filled property by property', async () => {
  const people = tool(
    'add_people',
    'Add people to the address book',
    {
      people: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: text, email: { type: 'string', format: 'email' } },
          required: ['name', 'email'],
        },
      },
    },
    ['people'],
  )
  expect(
    await argumentsOf('Add to the address book the people named "Ana" with ana@example.com', people),
  ).toEqual([{ people: [{ name: 'Ana', email: 'ana@example.com' }] }])
})

test('a city and its state fill separate parameters', async () => {
  const tax = tool('sales_tax', 'Sales tax of a purchase', { amount: number, city: text, state: text }, [
    'amount',
    'city',
    'state',
  ])
  expect(await argumentsOf('Sales tax of a purchase of $30.45 in Chicago, Illinois', tax)).toEqual([
    { amount: 30.45, city: 'Chicago', state: 'Illinois' },
  ])
})
