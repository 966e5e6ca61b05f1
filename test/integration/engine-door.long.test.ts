import './engine-door.test.ts';
