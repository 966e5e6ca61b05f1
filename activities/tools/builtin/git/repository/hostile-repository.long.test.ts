import './hostile-repository.test.ts';
