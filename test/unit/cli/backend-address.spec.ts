import { describe, expect, it } from '@jest/globals';
import { parseBackendAddress } from '../../../libs/cli/src/input/backend-address.js';

describe('the URL of a backend', () => {
  it.each<[string, object]>([
    ['redis://h:1/2', { engine: 'redis', url: 'redis://h:1/2' }],
    ['rediss://u:p@h', { engine: 'redis', url: 'rediss://u:p@h' }],
    ['VALKEY://h', { engine: 'redis', url: 'valkey://h' }],
    ['redis://[::1]:6379', { engine: 'redis', url: 'redis://[::1]:6379' }],
    [
      'redis://u:p%2C@a:1,b:2/0',
      { engine: 'redis cluster', urls: ['redis://u:p%2C@a:1', 'redis://u:p%2C@b:2'] },
    ],
    ['etcd://h', { engine: 'etcd', hosts: ['http://h:2379'], prefix: 'bedrock/' }],
    [
      'etcds://u:p%40%2F@a:1,b/app/locks/',
      {
        engine: 'etcd',
        hosts: ['https://a:1', 'https://b:2379'],
        prefix: 'app/locks/',
        user: { username: 'u', password: 'p@/' },
      },
    ],
    ['zookeeper://a:1,b:2/app', { engine: 'zookeeper', connect: 'a:1,b:2/app' }],
    ['zookeeper://u:p:q@a/', { engine: 'zookeeper', connect: 'a', user: { username: 'u', password: 'p:q' } }],
    ['postgres://u@h/d', { engine: 'postgres', url: 'postgres://u@h/d' }],
    ['postgresql://h/d?x=1', { engine: 'postgres', url: 'postgresql://h/d?x=1' }],
    ['mysql://u:p@h/d', { engine: 'mysql', url: 'mysql://u:p@h/d' }],
    ['mariadb://h/d', { engine: 'mysql', url: 'mariadb://h/d' }],
  ])('%s is understood', (url, address) => {
    expect(parseBackendAddress(url)).toEqual(address);
  });

  it.each<[string, RegExp]>([
    ['', /must begin with redis:/],
    ['secret', /must begin with redis:/],
    ['http://u:secret@h', /must begin with .+; got http:\/\/$/],
    ['redis://u:secret@a,,b', /must name a host before and after each comma/],
    ['redis://u:secret@', /must name a host/],
    ['redis://u:secret@a,b/1', /must end after its hosts: a cluster has one database/],
    ['etcd://secret@h', /must name a user and a password: etcd:\/\/user:password@host/],
    ['etcd://u:secret%zz@h', /must be percent-encoded/],
    ['etcd://u:secret@h/a?b', /must end after its path/],
    ['etcd://h/50%', /must be percent-encoded/],
    ['zookeeper://:secret@h', /must name a user and a password/],
  ])('%s is refused without a secret in the message', (url, message) => {
    const refused = (): unknown => parseBackendAddress(url);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/secret/);
  });
});
