import { codeOf, refusal } from '../../../../libs/lock/src/backends/redis/connection/failures.js';

describe('an error of Redis', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM', 'no'],
    ['LOADING Redis is loading the dataset in memory', 'LOADING', 'no'],
    ['MASTERDOWN Link with MASTER is down', 'MASTERDOWN', 'no'],
    ['CLUSTERDOWN The cluster is down', 'CLUSTERDOWN', 'no'],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS', 'no'],
    ['ERR unknown', 'ERR', 'unknown'],
    [
      "ERR Error running script (call to f_12ab): @user_script:7: OOM command not allowed when used memory > 'maxmemory'.",
      'OOM',
      'no',
    ],
    ['ERR Error running script (call to f_12ab): @user_script: 70: READONLY You can', 'READONLY', 'no'],
    ['ERR Error running script (call to f_12ab): @user_script:7: attempt to index nil', 'ERR', 'unknown'],
    ['Connection is closed.', '', 'unknown'],
    ['connect ECONNREFUSED 127.0.0.1:1', '', 'unknown'],
  ])('%s', (text, code, executed) => {
    expect(codeOf(new Error(text))).toBe(code);
    expect(codeOf(text)).toBe(code);
    expect(refusal(new Error(text))).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed });
  });
});
