import './operator.test.ts';
