import { orgPage } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

type Search = Readonly<Record<string, unknown>>;

const listSearch = (search: Search) => ({
  ...textParam(search, 'q'),
  ...textParam(search, 'category'),
  ...choiceParam(search, 'from', ['own', 'builtin']),
});
const pageSearch = (search: Search) => ({
  ...choiceParam(search, 'tab', ['files', 'details', 'try']),
  ...textParam(search, 'file'),
});

const skills = orgPage('/skills', async () => import('./definitions-page.tsx'), 'SkillsPage', listSearch);

const skill = orgPage('/skills/$definitionId', async () => import('./definition-page.tsx'), 'SkillPage', pageSearch);

const personas = orgPage('/personas', async () => import('./definitions-page.tsx'), 'PersonasPage', listSearch);

const persona = orgPage(
  '/personas/$definitionId',
  async () => import('./definition-page.tsx'),
  'PersonaPage',
  pageSearch,
);

const tools = orgPage('/tools', async () => import('./definitions-page.tsx'), 'ToolsPage', listSearch);

const tool = orgPage('/tools/$definitionId', async () => import('./definition-page.tsx'), 'ToolPage', pageSearch);

/** The pages of what agents are made of. */
export const definitionsRoutes = [skills, skill, personas, persona, tools, tool] as const;
