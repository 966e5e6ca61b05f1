import { expect, test } from '@jest/globals';
import { builtinTools } from '../../../builtin/index.ts';
import { definitionFiles } from './builtin-definition.ts';

test.each(definitionFiles.map((file) => [file.key, file] as const))(
  'the definition file of %s says what the tool does (npm run tools)',
  (key, file) => {
    expect(builtinTools.find((tool) => tool.key === key)).toEqual({
      inline: false,
      only_in_chats: false,
      ...file,
    });
  },
);

test('there are no definition files of other tools', () => {
  expect(builtinTools.map(({ key }) => key)).toEqual(definitionFiles.map(({ key }) => key).toSorted());
});
