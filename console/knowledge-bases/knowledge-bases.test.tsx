import { expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, type Answers, serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const BASE = {
  id: 'a-base',
  name: 'Handbook',
  description: 'How we work.',
  documents: 1,
  passages: 3,
  bytes: 1_400,
  embedding_model: 'auto',
  embedding: {
    status: 'waiting',
    model: null,
    dimensions: null,
    passages: 0,
    tokens: 0,
    cost: null,
    error: 'No account gives vectors',
  },
  created_at: TIME,
  updated_at: TIME,
};
const DOCUMENT = {
  id: 'a-document',
  knowledge_base_id: 'a-base',
  user_id: 'ada',
  title: 'Expenses',
  source: 'url',
  url: 'https://example.com/expenses',
  file_id: null,
  tags: ['money'],
  status: 'failed',
  error: 'The page is away',
  characters: null,
  passages: 0,
  created_at: TIME,
  updated_at: TIME,
};
const DOCUMENTS = '/api/knowledge-bases/a-base/documents';
// jsdom takes uploads for requests to another origin.
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, x-org-id' };
const PASSAGE = {
  document_id: 'a-document',
  document_title: 'Expenses',
  heading: 'Meals',
  position: 0,
  url: 'https://example.com/expenses',
  text: 'Up to 40 euros a day.',
  found_by: ['words'],
};

function openBase(search: string, permissions: readonly string[], answers: Answers = {}) {
  return openConsole(script, `/o/${ORG}/knowledge-bases/a-base${search}`, {
    'GET /api/permissions/me': { body: { permissions: ['knowledge_bases.view', ...permissions] } },
    'GET /api/knowledge-bases/a-base': { body: BASE },
    [`GET ${DOCUMENTS}`]: { body: [DOCUMENT] },
    ...answers,
  });
}

const bodyOf = (method: string, path: string): unknown =>
  JSON.parse(script.requests.find((request) => request.method === method && request.path === path)?.body ?? 'null');

test('a document says why it could not be read, and the base why meaning finds nothing', async () => {
  openBase('', []);
  await screen.findByText('The page is away');
  const note = screen.getByText('Only keywords are searched for now: No account gives vectors');
  expect(within(note).getByRole('link', { name: 'Settings' }).getAttribute('href')).toMatch(/\?tab=settings$/);
  const off = ['Add a document', 'Delete Expenses'].map((name) => screen.getByRole('button', { name }).title);
  expect(new Set(off)).toEqual(
    new Set(['Your role does not include the permission “Knowledge bases: view and change”.']),
  );
});

test('files that are chosen or dropped become documents; one that fails says why, and can be sent again', async () => {
  const upload = `${DOCUMENTS}/upload`;
  const detail = [{ type: 'custom', loc: ['body', 'file'], msg: 'no text in it' }];
  let answer: Answer = { status: 422, headers: CORS, body: { detail } };
  const drop = (name: string) =>
    fireEvent.drop(screen.getByRole('region', { name: 'Handbook' }), {
      dataTransfer: { types: ['Files'], files: [new File(['%PDF'], name)] },
    });
  openBase('?tab=search', ['knowledge_bases.manage'], {
    [`OPTIONS ${upload}`]: { status: 204, headers: CORS },
    [`POST ${upload}`]: () => answer,
  });
  const user = userEvent.setup();
  await screen.findByRole('region', { name: 'Handbook' });
  drop('locked.docx');
  const uploads = within(await screen.findByRole('list', { name: 'Files that are uploaded' }));
  await uploads.findByText('not uploaded: no text in it');
  expect(uploads.queryByRole('button', { name: 'Retry' })).toBeNull();
  answer = { status: 409, headers: CORS, body: { detail: 'The organization has no room' } };
  drop('rules.pdf');
  await uploads.findByText('not uploaded: The organization has no room');
  await user.click(uploads.getByRole('button', { name: 'Remove locked.docx' }));
  answer = { status: 201, headers: CORS, body: { ...DOCUMENT, id: 'rules', title: 'rules.pdf' } };
  await user.click(uploads.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Files that are uploaded' })).toBeNull());
  await user.upload(screen.getByLabelText('Choose files', { selector: 'input' }), [
    new File(['# A'], 'a.md'),
    new File(['# B'], 'b.md'),
  ]);
  const posted = () => script.requests.filter(({ method, path }) => method === 'POST' && path === upload);
  await waitFor(() => expect(posted()).toHaveLength(5));
});

test('a file that is refused after its page was left says so in a message', async () => {
  const upload = `${DOCUMENTS}/upload`;
  const refused = Promise.withResolvers<Answer>();
  const { history } = openBase('', ['knowledge_bases.manage'], {
    [`OPTIONS ${upload}`]: { status: 204, headers: CORS },
    [`POST ${upload}`]: () => refused.promise,
    'GET /api/knowledge-bases': { body: [] },
  });
  const files = await screen.findByLabelText('Choose files', { selector: 'input' });
  await userEvent.setup().upload(files, new File(['%PDF'], 'rules.pdf'));
  await screen.findByRole('list', { name: 'Files that are uploaded' });
  act(() => history.push(`/o/${ORG}/knowledge-bases`));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Handbook' })).toBeNull());
  refused.resolve({ status: 409, headers: CORS, body: { detail: 'The base has this file already' } });
  await screen.findAllByText('rules.pdf not uploaded: The base has this file already');
});

test('a question of one letter is too short, unless it may be a word', async () => {
  openBase('?tab=search&q=a', []);
  await screen.findByText('Write at least two characters.');
  const answer = { results: [], meaning: { search: 'off', compared: 0, reason: null } };
  openBase('?tab=search&q=魚', [], { 'GET /api/knowledge-bases/a-base/search': { body: answer } });
  await waitFor(() =>
    expect(script.requests.map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^\/api\/knowledge-bases\/a-base\/search/),
    ),
  );
});

test('a document that was uploaded is downloaded as its file', async () => {
  openBase('', [], {
    [`GET ${DOCUMENTS}`]: { body: [{ ...DOCUMENT, id: 'rules', title: 'rules.pdf', source: 'upload' }] },
    [`GET ${DOCUMENTS}/rules/content`]: { body: 'the bytes' },
  });
  const saved: string[] = [];
  URL.createObjectURL = jest.fn(() => 'blob:file');
  const click = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Download rules.pdf' }));
  await waitFor(() => expect(saved).toEqual(['rules.pdf']));
  click.mockRestore();
});

test('what the server refuses is said, and what was typed stays', async () => {
  openBase('', ['knowledge_bases.manage'], {
    [`POST ${DOCUMENTS}`]: { status: 409, body: { detail: 'The base has this text already' } },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add a document' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText('Text'), 'Be kind.');
  await user.type(dialog.getByLabelText('Title'), ' Manners ');
  await user.type(dialog.getByLabelText('Tags'), 'people, , work');
  await user.click(dialog.getByRole('button', { name: 'Add a document' }));
  await dialog.findByText('The base has this text already');
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('Be kind.');
  expect(bodyOf('POST', DOCUMENTS)).toEqual({ text: 'Be kind.', title: 'Manners', tags: ['people', 'work'] });
});

test('a search asks once it is sent, keeps its question in the address, and says what it did not look at', async () => {
  const path = '/api/knowledge-bases/a-base/search';
  const { history } = openBase('?tab=search', [], {
    'GET /api/knowledge-bases/a-base': { body: { ...BASE, embedding: { ...BASE.embedding, status: 'working' } } },
    [`GET ${path}`]: {
      body: {
        results: [PASSAGE],
        query: 'meals',
        searched_by: ['words'],
        meaning: { search: 'off', compared: 0, passages: 3, reason: 'no account gives a vector' },
      },
    },
  });
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('Search for'), 'meals');
  expect(script.requests.some((request) => request.path === path)).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Search' }));
  await screen.findByText('Up to 40 euros a day.');
  screen.getByText('by words');
  screen.getByText('Not all passages were compared by meaning: no account gives a vector');
  expect(history.location.search).toBe('?tab=search&q=meals');
});

test('only what was changed of a base is stored, and what is wrong is said at its field', async () => {
  openBase('?tab=settings', ['knowledge_bases.manage'], {
    'PATCH /api/knowledge-bases/a-base': {
      status: 422,
      body: { detail: [{ type: 'custom', loc: ['body', 'embedding_model'], msg: 'must be auto, off or a model' }] },
    },
  });
  const user = userEvent.setup();
  const model = await screen.findByLabelText<HTMLInputElement>('Search by meaning');
  await user.clear(model);
  await user.type(model, 'nowhere');
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('must be auto, off or a model');
  expect(bodyOf('PATCH', '/api/knowledge-bases/a-base')).toEqual({ embedding_model: 'nowhere' });
});

test('a base is deleted once its name was typed', async () => {
  openBase('?tab=settings', ['knowledge_bases.manage'], {
    'DELETE /api/knowledge-bases/a-base': { status: 204 },
    'GET /api/knowledge-bases': { body: [] },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Delete permanently' }));
  const dialog = within(await screen.findByRole('dialog'));
  const removed = () => script.requests.filter(({ method }) => method === 'DELETE');
  await user.click(dialog.getByRole('button', { name: 'Delete permanently' }));
  expect(removed()).toEqual([]);
  await user.type(dialog.getByRole('textbox'), 'Handbook');
  await user.click(dialog.getByRole('button', { name: 'Delete permanently' }));
  await screen.findByText('No knowledge base yet');
  expect(removed()).toHaveLength(1);
});
