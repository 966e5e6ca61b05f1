import type { IntegrationKind } from '../integration-kind.ts';
import { JSON_API, OAUTH_CLIENT } from './sign-in-fields.ts';

/** Services that keep repositories. */
export const CODE_HOSTS = {
  github: {
    ...JSON_API,
    name: 'GitHub',
    description: 'Repositories, issues, pull requests and actions on github.com or GitHub Enterprise Server.',
    baseUrl: 'https://api.github.com',
    fields: [
      { name: 'token', description: 'A personal access token, fine-grained or classic.', isOptional: true },
      ...OAUTH_CLIENT,
    ],
    alternatives: [['token'], ['client_id', 'client_secret']],
    oauth: {
      authorizeUrl: '/login/oauth/authorize',
      tokenUrl: '/login/oauth/access_token',
      scopes: [
        { name: 'repo', description: 'Reads and changes repositories, issues and pull requests.', isUsual: true },
        { name: 'workflow', description: 'Changes the files of GitHub Actions.' },
        { name: 'read:org', description: 'Reads organizations, their teams and members.' },
      ],
      clientAuthentication: 'form',
      tokenField: 'token',
    },
    headers: { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' },
    test: { path: '/user', account: ['login'] },
  },
  gitlab: {
    ...JSON_API,
    name: 'GitLab',
    description: 'Repositories, issues, merge requests and pipelines on gitlab.com or a GitLab server of your own.',
    baseUrl: 'https://gitlab.com',
    apiPath: '/api/v4',
    fields: [
      {
        name: 'token',
        description: 'A personal, group or project access token that may read the API.',
        isOptional: true,
      },
      ...OAUTH_CLIENT,
    ],
    alternatives: [['token'], ['client_id', 'client_secret']],
    oauth: {
      authorizeUrl: '/oauth/authorize',
      tokenUrl: '/oauth/token',
      revocationUrl: '/oauth/revoke',
      scopes: [
        {
          name: 'api',
          description: 'Reads and changes all that the person may, repositories included.',
          isUsual: true,
        },
        { name: 'read_api', description: 'Reads all that the person may.' },
        { name: 'read_repository', description: 'Clones repositories.' },
        { name: 'write_repository', description: 'Clones repositories, and pushes to them.' },
      ],
      clientAuthentication: 'basic',
      tokenField: 'token',
    },
    test: { path: '/user', account: ['username'] },
  },
  gitea: {
    ...JSON_API,
    name: 'Gitea',
    description: 'Repositories and issues on a Gitea or Forgejo server.',
    baseUrl: null,
    apiPath: '/api/v1',
    fields: [{ name: 'token', description: 'An access token that may read the user it belongs to.' }],
    authorization: [{ in: 'header', field: 'token', prefix: 'token ' }],
    test: { path: '/user', account: ['login'] },
  },
  git: {
    name: 'Git',
    description: 'Repositories on any other server that speaks git over https (`git_clone`, `git_pull`, `git_push`).',
    baseUrl: null,
    apiPath: '',
    fields: [
      {
        name: 'token',
        description: 'An access token or, where the server asks for a user name, both: `name:token`.',
      },
    ],
    authorization: [],
    secretPlaces: ['header'],
    test: null,
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
