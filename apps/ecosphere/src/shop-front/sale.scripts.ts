/**
 * Writes nothing under a token older than the highest seen: its holder stood still, and other holders have been at the
 * counter since. A look raises the highest too, so a late write is refused even before the next holder writes. Tokens
 * are below 2^53, so Lua numbers distinguish them.
 */
const GUARD = `
local highest = redis.call('GET', KEYS[1])
if highest and tonumber(highest) > tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[5])
  return { 'stale' }
end
redis.call('SET', KEYS[1], ARGV[1])
local left = tonumber(redis.call('GET', KEYS[2]) or nil)
if not left then return redis.error_reply('NOBOOK the sale has not started, or its data are lost') end
local number = redis.call('HGET', KEYS[3], ARGV[2])
`;

/** Keys of every script, in this order. */
export const KEYS = ['token', 'left', 'requests', 'sales', 'refused'] as const;

/*
look: what the holder of the lock decides on.
KEYS 1 highest token  2 items left  3 hash request id -> number of its sale  4 list of sales  5 count of refusals
ARGV 1 token  2 request id       Reply {'stale'} | {'sold', sale} | {'open', items left}
*/
export const LOOK = `${GUARD}
if number then return { 'sold', redis.call('LINDEX', KEYS[4], number - 1) } end
return { 'open', left }
`;

/*
sell: stock and sale change together, or not at all; an order already sold gets the same sale.
KEYS as above
ARGV 1 token  2 request id  3 buyer  4 items left when looked at  5 process id
Reply {'stale'} | {'repeated', sale} | {'soldOut'} | {'sold', sale}
*/
export const SELL = `${GUARD}
if number then return { 'repeated', redis.call('LINDEX', KEYS[4], number - 1) } end
if left <= 0 then return { 'soldOut' } end
number = redis.call('LLEN', KEYS[4]) + 1
local sale = cjson.encode({
  number = number,
  requestId = ARGV[2],
  buyer = ARGV[3],
  -- As text: the encoder keeps 14 digits of a number.
  token = ARGV[1],
  seen = tonumber(ARGV[4]),
  left = redis.call('DECR', KEYS[2]),
  soldBy = tonumber(ARGV[5]),
})
redis.call('RPUSH', KEYS[4], sale)
redis.call('HSET', KEYS[3], ARGV[2], number)
return { 'sold', sale }
`;
