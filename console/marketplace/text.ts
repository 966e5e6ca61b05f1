import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of the marketplace say, in the language of the page. */
export const useMarketplaceText = ownText({
  en: {
    title: 'Marketplace',
    lead: 'Agents, skills, tools and personas that others have made. Nothing starts by itself once it is installed.',
    empty: 'Nothing to install',
    emptyWhy: 'The operator of the server can add indexes of items.',
    filter: 'Filter by name or tag',
    name: 'Name',
    kind: 'Kind',
    kinds: { agent: 'Agent', skill: 'Skill', tool: 'Tool', persona: 'Persona', bundle: 'Several' },
    version: 'Version',
    state: 'State',
    installed: 'Installed',
    upgrade: 'Newer than installed',
    upgradeTo: (version: string) => `Upgrade to ${version}`,
    install: 'Install',
    installTitle: (name: string) => `Install ${name}`,
    done: (name: string) => `${name} was installed`,
    contains: 'What it holds and may use',
    tools: 'Tools that it uses',
    credentials: 'Integrations that it uses',
    model: 'Expects of the model',
    source: 'Source',
    readme: 'About it',
    nothing: 'none',
    noDifferences: 'Nothing that the organization has differs from it.',
    edited: 'Records that were edited since they were installed',
    editeds: {
      refuse: 'Install nothing if there are any',
      keep: 'Stay as they are',
      replace: 'Are replaced; the edits are lost',
    },
  },
});

/** What the pages of the marketplace say. */
export type MarketplaceText = ReturnType<typeof useMarketplaceText>;
