// A small bookshop API for the example to call. `node api.mjs` listens on port 8090.
import { createServer } from 'node:http'

const TOKEN = process.env.BOOKS_API_TOKEN ?? 'demo-token'
const BOOKS = [
  { id: 'b1', title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin', year: 1969, copies: 3 },
  { id: 'b2', title: 'The Dispossessed', author: 'Ursula K. Le Guin', year: 1974, copies: 0 },
  { id: 'b3', title: 'Solaris', author: 'Stanislaw Lem', year: 1961, copies: 2 },
  { id: 'b4', title: 'Kindred', author: 'Octavia E. Butler', year: 1979, copies: 1 },
  { id: 'b5', title: 'Roadside Picnic', author: 'Arkady and Boris Strugatsky', year: 1972, copies: 4 },
]

/** Starts the API. Resolves with its URL and a function that stops it. */
export function startBooksApi(port = 0) {
  const server = createServer((request, response) => {
    route(request).then(
      ({ status, body }) => send(response, status, body),
      error => send(response, error.status ?? 500, { error: error.message }),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        close: () => new Promise(done => server.close(done).closeAllConnections()),
      }),
    )
  })
}

async function route(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://api')
  const [, collection, id, action] = pathname.split('/')
  if (collection !== 'books') return { status: 404, body: { error: `no route ${pathname}` } }
  if (request.method === 'GET' && !id) return { status: 200, body: search(searchParams) }
  const book = BOOKS.find(candidate => candidate.id === decodeURIComponent(id ?? ''))
  if (!book) return { status: 404, body: { error: `no book ${id}` } }
  if (request.method === 'GET') return { status: 200, body: book }
  if (request.method === 'POST' && action === 'reservations') return reserve(request, book)
  return { status: 405, body: { error: `${request.method} is not allowed here` } }
}

function search(query) {
  const text = (query.get('q') ?? '').toLowerCase()
  const limit = Number(query.get('limit') ?? 10)
  const items = BOOKS.filter(book => `${book.title} ${book.author}`.toLowerCase().includes(text))
  return { total: items.length, items: items.slice(0, limit) }
}

async function reserve(request, book) {
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return { status: 401, body: { error: 'a token is needed to reserve' } }
  const { name, copies = 1 } = JSON.parse(await textOf(request))
  if (book.copies < copies)
    return { status: 409, body: { error: `only ${book.copies} copies of ${book.id} left` } }
  return {
    status: 201,
    body: { reservation: `${book.id}-${name.length}${copies}`, book: book.title, name, copies },
  }
}

async function textOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

if (import.meta.main ?? process.argv[1]?.endsWith('api.mjs')) {
  const { url } = await startBooksApi(Number(process.env.PORT ?? 8090))
  console.log(`book-shop API on ${url}`)
}
