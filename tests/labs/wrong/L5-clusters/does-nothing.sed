# Every block leaves at once.
s/if \(clc::was_stolen\(pool\)\)/if (true)/
