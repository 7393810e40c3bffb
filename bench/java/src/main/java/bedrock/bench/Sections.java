package bedrock.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Turns under the lock, as the notebook of src/figures/section-log.ts. */
final class Sections {
    private record Section(long entered, long left) {}

    private final List<Section> sections = new ArrayList<>();

    synchronized void add(long entered, long left) {
        sections.add(new Section(entered, left));
    }

    /** Turns that began before an earlier one had ended: 0 is what a lock is for. */
    synchronized int overlaps() {
        sections.sort(Comparator.comparingLong(Section::entered));
        int overlaps = 0;
        long latestEnd = Long.MIN_VALUE;
        for (Section section : sections) {
            if (section.entered < latestEnd) overlaps++;
            latestEnd = Math.max(latestEnd, section.left);
        }
        return overlaps;
    }
}
