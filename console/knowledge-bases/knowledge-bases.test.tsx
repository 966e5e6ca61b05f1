import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { MAX_CHARACTERS, readTextFile } from './documents/read-text-file.ts';

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
const PASSAGE = {
  document_id: 'a-document',
  document_title: 'Expenses',
  heading: 'Meals',
  position: 0,
  url: 'https://example.com/expenses',
  text: 'Up to 40 euros a day.',
  found_by: ['words'],
};

function openBase(search: string, permissions: readonly string[], answers: Readonly<Record<string, Answer>> = {}) {
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
  screen.getByText('Passages are found by words alone for now: No account gives vectors');
  const off = ['Add a document', 'Delete Expenses'].map((name) => screen.getByRole('button', { name }).title);
  expect(new Set(off)).toEqual(new Set(['Your role does not include the permission knowledge_bases.manage.']));
});

test('a document is made of the text of a file, which names it; what is no text is refused', async () => {
  openBase('', ['knowledge_bases.manage'], {
    [`POST ${DOCUMENTS}`]: { status: 201, body: { ...DOCUMENT, title: 'rules.md' } },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add a document' }));
  const dialog = within(await screen.findByRole('dialog'));
  const choice = dialog.getByLabelText('Take the text of a file', { selector: 'input' });
  await user.upload(choice, new File([new Uint8Array([0x25, 0x50, 0xff, 0xfe])], 'rules.pdf'));
  await dialog.findByText(/^rules\.pdf is not a text file/);
  await user.upload(choice, new File(['# Rules\n\nBe kind.'], 'rules.md'));
  await dialog.findByDisplayValue('rules.md');
  await user.type(dialog.getByLabelText('Tags'), 'people, , work');
  await user.click(dialog.getByRole('button', { name: 'Add a document' }));
  await screen.findAllByText('rules.md was added and is being read');
  expect(bodyOf('POST', DOCUMENTS)).toEqual({
    text: '# Rules\n\nBe kind.',
    title: 'rules.md',
    tags: ['people', 'work'],
  });
});

test('what the server refuses is said, and what was typed stays', async () => {
  openBase('', ['knowledge_bases.manage'], {
    [`POST ${DOCUMENTS}`]: { status: 409, body: { detail: 'The base has this text already' } },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add a document' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText('Text'), 'Be kind.');
  await user.click(dialog.getByRole('button', { name: 'Add a document' }));
  await dialog.findByText('The base has this text already');
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('Be kind.');
  expect(bodyOf('POST', DOCUMENTS)).toEqual({ text: 'Be kind.', tags: [] });
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
  await user.type(await screen.findByLabelText('What is searched for'), 'meals');
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
  await user.click(await screen.findByRole('button', { name: 'Delete for good' }));
  const dialog = within(await screen.findByRole('dialog'));
  const removed = () => script.requests.filter(({ method }) => method === 'DELETE');
  await user.click(dialog.getByRole('button', { name: 'Delete for good' }));
  expect(removed()).toEqual([]);
  await user.type(dialog.getByRole('textbox'), 'Handbook');
  await user.click(dialog.getByRole('button', { name: 'Delete for good' }));
  await screen.findByText('No knowledge base yet');
  expect(removed()).toHaveLength(1);
});

test('a file is a text up to the length of a document', async () => {
  expect(await readTextFile(new Blob(['ä'.repeat(MAX_CHARACTERS)]))).toMatchObject({ text: expect.any(String) });
  expect(await readTextFile(new Blob(['a'.repeat(MAX_CHARACTERS + 1)]))).toEqual({ refused: 'tooLarge' });
  expect(await readTextFile(new Blob(['a\0b']))).toEqual({ refused: 'notText' });
});
