import { houseTable } from './house-table.ts';
import { measureHouse } from './measure-house.ts';
import { readCommit, readWorkingTree } from './sources.ts';

// `npm run house -- [commit ...]`: the shape of the code in figures, of the commits and of the working tree.

const commits = process.argv.slice(2);
console.log(
  houseTable([
    ...commits.map((commit) => ({ name: commit, house: measureHouse(readCommit(commit)) })),
    { name: 'working tree', house: measureHouse(readWorkingTree()) },
  ]),
);
