import './traces.test.ts';
