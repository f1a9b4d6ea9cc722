;; Looks at the first `length` bytes of memory, 16 at a time. Behind them lie at least 17 bytes that
;; are zero, or, where `length` is a multiple of 16, the byte that follows. Lanes are added up every
;; 255 rounds at the latest, before one of them could overflow.
(module
  (memory (export "memory") 6)

  ;; Line ends: every LF, and every CR that no LF follows.
  (func (export "breaks") (param $length i32) (result i32)
    (local $at i32) (local $stop i32) (local $found i32) (local $v v128) (local $lanes v128)
    (block $done
      (loop $range
        (br_if $done (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $stop (i32.add (local.get $at) (i32.const 4080)))
        (if (i32.gt_u (local.get $stop) (local.get $length)) (then (local.set $stop (local.get $length))))
        (local.set $lanes (v128.const i32x4 0 0 0 0))
        (loop $round
          (local.set $v (v128.load (local.get $at)))
          (local.set $lanes
            (i8x16.sub (local.get $lanes)
              (v128.or
                (i8x16.eq (local.get $v) (i8x16.splat (i32.const 10)))
                (v128.andnot
                  (i8x16.eq (local.get $v) (i8x16.splat (i32.const 13)))
                  (i8x16.eq (v128.load offset=1 (local.get $at)) (i8x16.splat (i32.const 10)))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $round (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $found (i32.add (local.get $found) (call $sum (local.get $lanes))))
        (br $range)))
    (local.get $found))

  ;; UTF-16 units of well-formed UTF-8: one for each byte that begins a character, two where the
  ;; character has four bytes. Zeros behind the text count as characters.
  (func (export "units") (param $length i32) (result i32)
    (local $at i32) (local $stop i32) (local $found i32) (local $v v128) (local $lanes v128)
    (block $done
      (loop $range
        (br_if $done (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $stop (i32.add (local.get $at) (i32.const 2032)))
        (if (i32.gt_u (local.get $stop) (local.get $length)) (then (local.set $stop (local.get $length))))
        (local.set $lanes (v128.const i32x4 0 0 0 0))
        (loop $round
          (local.set $v (v128.load (local.get $at)))
          (local.set $lanes
            (i8x16.sub
              (i8x16.sub (local.get $lanes) (i8x16.gt_s (local.get $v) (i8x16.splat (i32.const -65))))
              (i8x16.ge_u (local.get $v) (i8x16.splat (i32.const 240)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $round (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $found (i32.add (local.get $found) (call $sum (local.get $lanes))))
        (br $range)))
    (local.get $found))

  ;; The offsets of every ESC, and of every CR that no LF follows, as 32-bit numbers from the third
  ;; page on; returns how many there are.
  (func (export "controls") (param $length i32) (result i32)
    (local $at i32) (local $out i32) (local $mask i32) (local $v v128)
    (local.set $out (i32.const 131072))
    (block $done
      (loop $round
        (br_if $done (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $v (v128.load (local.get $at)))
        (local.set $mask
          (i8x16.bitmask
            (v128.or
              (i8x16.eq (local.get $v) (i8x16.splat (i32.const 27)))
              (v128.andnot
                (i8x16.eq (local.get $v) (i8x16.splat (i32.const 13)))
                (i8x16.eq (v128.load offset=1 (local.get $at)) (i8x16.splat (i32.const 10)))))))
        (block $none
          (loop $each
            (br_if $none (i32.eqz (local.get $mask)))
            (i32.store (local.get $out) (i32.add (local.get $at) (i32.ctz (local.get $mask))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br $each)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $round)))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 131072)) (i32.const 2)))

  (func $sum (param $lanes v128) (result i32)
    (local $words v128)
    (local.set $words
      (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $lanes))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $words)) (i32x4.extract_lane 1 (local.get $words)))
      (i32.add (i32x4.extract_lane 2 (local.get $words)) (i32x4.extract_lane 3 (local.get $words))))))
