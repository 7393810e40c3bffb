/**
 * The tables of the stock service. Their keys ensure that an operation happens once, whatever locks and records say.
 */
export const STOCK_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS goods (
    goods_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    start_amount INT NOT NULL,
    amount INT NOT NULL CHECK (amount >= 0)
  ) ENGINE = InnoDB`,
  `CREATE TABLE IF NOT EXISTS operations (
    operation_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    state ENUM('deducted', 'refused', 'cancelled') NOT NULL,
    order_lines TEXT NULL,
    reason VARCHAR(200) NULL,
    ended_at DATETIME(3) NOT NULL DEFAULT (UTC_TIMESTAMP(3))
  ) ENGINE = InnoDB`,
  `CREATE TABLE IF NOT EXISTS flows (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    operation_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    goods_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    quantity INT NOT NULL,
    token BIGINT NOT NULL,
    written_at DATETIME(3) NOT NULL DEFAULT (UTC_TIMESTAMP(3)),
    UNIQUE KEY once_per_operation (operation_id, goods_id),
    KEY by_goods (goods_id)
  ) ENGINE = InnoDB`,
];
