import { ticketApi, tsApi } from '../index.ts';

/** A client that records its requests; each is answered at once. */
function recording() {
  const requests: Request[] = [];
  const middleware = [
    {
      onRequest({ request }: { request: Request }) {
        requests.push(request);
        return Response.json({ error: 'no', code: 'ticket_not_found' }, { status: 404 });
      },
    },
  ];
  return { requests, options: { baseUrl: 'https://api.example.com', token: 'secret', middleware } };
}

const ticket_id = '6655a0c41f2b3c4d5e6f7081';

test('a call goes to its path with the token, and its error has the code', async () => {
  const { requests, options } = recording();
  const { error } = await ticketApi(options).GET('/api/v3.0/tickets/{ticket_id}', { params: { path: { ticket_id } } });
  expect(requests[0]?.url).toBe(`https://api.example.com/api/v3.0/tickets/${ticket_id}`);
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
  expect(error).toMatchObject({ code: 'ticket_not_found' });
});

test('a list in a query is separated by commas', async () => {
  const { requests, options } = recording();
  await ticketApi(options).GET('/api/v3.0/tickets', { params: { query: { status: ['opened', 'waiting'] } } });
  expect(requests[0]?.url).toBe('https://api.example.com/api/v3.0/tickets?status=opened,waiting');
});

test('a body is JSON; with a file it is a form, without what is undefined', async () => {
  const { requests, options } = recording();
  const tickets = ticketApi(options);
  await tickets.POST('/api/v3.0/tickets', { body: { title: 'Leak' } });
  const file = new File(['%PDF'], 'quote.pdf');
  const body = { reference: 'Q-1', price: '10.00', description: undefined, file };
  await tickets.POST('/api/v3.0/tickets/{ticket_id}/quotes', { params: { path: { ticket_id } }, body });
  expect(await requests[0]?.json()).toEqual({ title: 'Leak' });
  const form = (await requests[1]?.formData()) as FormData;
  expect([form.get('reference'), form.get('price'), (form.get('file') as File).name, form.get('description')]).toEqual([
    'Q-1',
    '10.00',
    'quote.pdf',
    null,
  ]);
});

test('without a token nothing is said of who calls', async () => {
  const { requests, options } = recording();
  const { token: _, ...anybody } = options;
  await tsApi(anybody).POST('/auth/login', { body: { email: 'a@example.com', password: 'x' } });
  expect(requests[0]?.headers.has('authorization')).toBe(false);
});
