import { describeDocsCommands } from './describe-docs-commands.ts';

describeDocsCommands(['README.md']);
