/** The tables of the order service. The request key allows one order per request, even if its record is lost. */
export const ORDER_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS orders (
    number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    request_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    customer VARCHAR(64) NOT NULL,
    status ENUM('pending', 'confirmed', 'failed') NOT NULL DEFAULT 'pending',
    reason VARCHAR(200) NULL,
    operation_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    created_at DATETIME(3) NOT NULL DEFAULT (UTC_TIMESTAMP(3)),
    settled_at DATETIME(3) NULL,
    UNIQUE KEY once_per_request (request_key),
    KEY by_status (status, number)
  ) ENGINE = InnoDB CHARACTER SET utf8mb4`,
  `CREATE TABLE IF NOT EXISTS order_lines (
    order_number BIGINT NOT NULL,
    position INT NOT NULL,
    goods_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    quantity INT NOT NULL,
    PRIMARY KEY (order_number, position)
  ) ENGINE = InnoDB`,
];
